//go:build unix

package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// A platform that shows rows without an end, whatever page_size asks for, takes no more than 150 MB of the bot's memory, and no more than
// 64 MB of its disk. What other sources hear is answered meanwhile.
func TestMemoryOfListsWithoutEnd(t *testing.T) {
	effort.Long(t)
	from := func(e emulator.Unending) emulator.Unending {
		e.First, e.Last, e.Rows = 1<<40, 1<<30, 18_000 // of 8 MiB
		return e
	}
	long := strings.Repeat("x", 2800)
	for name, lists := range map[string]func(account platform.UserID, people []platform.UserID) []emulator.Unending{
		"notifications": func(account platform.UserID, people []platform.UserID) []emulator.Unending {
			return []emulator.Unending{from(emulator.Unending{Account: account, List: platform.Notifs, Peer: people[0]})}
		},
		"messages": func(account platform.UserID, people []platform.UserID) []emulator.Unending {
			return []emulator.Unending{from(emulator.Unending{Account: account, Peer: people[0], Text: "hello"})}
		},
		"own messages": func(account platform.UserID, people []platform.UserID) []emulator.Unending {
			return []emulator.Unending{from(emulator.Unending{Account: account, Peer: people[0], Text: "hello", Own: true})}
		},
		"all of them": func(account platform.UserID, people []platform.UserID) []emulator.Unending {
			all := []emulator.Unending{
				from(emulator.Unending{Account: account, List: platform.Notifs, Peer: people[0]}),
				from(emulator.Unending{Account: account, List: platform.Mentions, Peer: people[0]}),
			}
			for i, p := range people {
				e := from(emulator.Unending{Account: account, Peer: p, Text: long, Own: i%2 == 0})
				e.Rows = 2500
				all = append(all, e)
			}
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			p := emulator.New(emulator.Config{})
			account := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
			watched := pagesServed{of: p, enough: make(chan struct{})}
			server := httptest.NewServer(&watched)
			defer server.Close()
			dir := settings(t, server.URL+"/mobile_api", "shop@social.example")
			bot := start(t, dir, "run", "--starter")
			bot.Await(t, "the bot is at work")
			var steps []script.Step
			for i := range 40 {
				steps = append(steps, script.Actor(fmt.Sprint("person", i)).Says("hello"))
			}
			for i := range 40 {
				steps = append(steps, script.Actor(fmt.Sprint("person", i)).Expects("Thanks"))
			}
			if err := script.Play(soon(t), p, script.Script{Account: account, Steps: steps}); err != nil {
				t.Fatal(err)
			}
			var people []platform.UserID
			for i := range 40 {
				people = append(people, p.UserID(fmt.Sprint("person", i)))
			}
			p.Unending(lists(account, people)...)
			for _, who := range people {
				p.Say(who, account, "again")
			}
			watched.count(400 << 20)
			<-watched.enough
			peak, wal := bot.Peak(), sizeOf(filepath.Join(dir, "nectar.db-wal"))
			t.Logf("peak %d MB, WAL %d MB", peak>>20, wal>>20)
			if peak > 150e6 || wal > 64<<20 {
				t.Errorf("peak %d MB, WAL %d MB", peak/1e6, wal>>20)
			}
			bot.Stop()
		})
	}
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// pagesServed serves a platform until so many bytes have left.
type pagesServed struct {
	of http.Handler

	mu     sync.Mutex // guards the fields below
	left   int64
	counts bool
	enough chan struct{}
}

func (s *pagesServed) count(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.counts = bytes, true
}

// ServeHTTP implements http.Handler.
func (s *pagesServed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.of.ServeHTTP(&countingWriter{w, s}, r)
}

type countingWriter struct {
	http.ResponseWriter
	s *pagesServed
}

// Write implements io.Writer.
func (w *countingWriter) Write(b []byte) (int, error) {
	s := w.s
	s.mu.Lock()
	if s.left -= int64(len(b)); s.counts && s.left <= 0 {
		s.counts = false
		close(s.enough)
	}
	s.mu.Unlock()
	return w.ResponseWriter.Write(b)
}
