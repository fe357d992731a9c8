//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/platform"
)

// throughProxy is PostgreSQL behind a network that loses the answers of commits now and then: nobody notices.
var throughProxy = engine{
	name:      "PostgreSQL that loses answers",
	histories: 12,
	incarnations: func(t *testing.T) func(t tb) incarnations {
		t.Helper()
		s := pgServer(t)
		url := s.schema(t)
		p, far := newProxy(t, s, url)
		draw := rand.New(rand.NewPCG(1, 2))
		return func(tb tb) incarnations {
			tb.Helper()
			s.clear(t, url)
			p.cutNext()
			open := func() store.Store {
				tb.Helper()
				st := openServer(tb, store.Options{Path: far, Key: "key"})
				cuts := make([]cut, 40)
				for i := range cuts {
					if draw.IntN(3) == 0 {
						cuts[i] = lostAnswer
					}
				}
				p.cutNext(cuts...)
				return st
			}
			return incarnations{open: open, die: func(old store.Store) store.Store {
				tb.Helper()
				p.cutNext()
				s.killConnections(t, url)
				next := open()
				if err := old.Close(); err != nil {
					tb.Fatal(err)
				}
				return next
			}}
		}
	},
}

// TestHistoriesOverALineThatIsCut: a commit whose answer is lost is as good as any other.
func TestHistoriesOverALineThatIsCut(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	testHistory(t, throughProxy)
}

// TestCutCommits: what is said to be stored is, and what is said to have failed is not, wherever the connection is cut.
func TestCutCommits(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, c := range []cut{lostAnswer, lostCall, lostBoth, lostHalf} {
		t.Run(c.String(), func(t *testing.T) {
			effort.Case(t)
			s := pgServer(t)
			url := s.schema(t)
			p, far := newProxy(t, s, url)
			w, log := pgWorld(t, far)
			for n := range int64(4) {
				p.cutNext(c)
				turn := says(named(turnOf(message(7, n+1)), n+1, fmt.Sprint(n+1)), "hello")
				r := w.commit(store.Write{Turn: turn})
				if (r.Err == nil) != (c == lostAnswer || c == lostHalf) || errors.Is(r.Err, store.ErrUnfit) || errors.As(r.Err, new(*unclear.Error)) {
					t.Errorf("the receipt is %+v", r)
				}
				want := map[event.ID]bool{}
				if r.Err == nil {
					want[turn.Trigger.Event.ID] = true
				}
				w.handled(want, turn.Trigger.Event.ID)
				if r.Err != nil {
					w.must(turn)
				}
				w.isNamed(turn.Trigger.Key, n+1, fmt.Sprint(n+1))
			}
			p.cutNext(c)
			if _, err := w.inspector.AddEntry(w.Context(), event.Entry{Account: ana, List: "leads", Key: "7"}); c != lostHalf && (err == nil) != (c == lostAnswer) {
				t.Errorf("a desk is told %v", err)
			}
			if text := strings.Join(log.lines(), "\n"); strings.Contains(text, "password") {
				t.Errorf("the log is %s", text)
			}
		})
	}
}

// pgWorld opens a store at a URL, which is closed with the test.
func pgWorld(t *testing.T, url string) (*world, *page) {
	t.Helper()
	log := &page{}
	return newWorld(t, func(t *testing.T) database {
		t.Helper()
		return database{
			open: func() store.Store {
				return openServer(t, store.Options{Path: url, Key: "key", Log: slog.New(slog.NewTextHandler(log, nil))})
			},
			inspector: func() asker { return openServerInspector(t, url) },
		}
	}), log
}

// burden commits turns of several people, each until it is stored, and counts them, as long as somebody wants more.
type burden struct {
	*world
	stored atomic.Int64
	enough atomic.Bool
}

const burdenPeers = 4

// carry commits turns of a person one after another, the next one when the last is stored, and returns how many there are.
func (b *burden) carry(peer int64) (turns int64) {
	for !b.enough.Load() && b.Context().Err() == nil {
		number := turns*burdenPeers + peer + 1
		turn := says(named(turnOf(message(platform.UserID(peer+1), number)), turns+1, strconv.FormatInt(turns+1, 10)), "hello")
		r := b.commit(store.Write{Turn: turn})
		if r.Dropped { // it was said to have failed, and is there
			b.Errorf("%d is stored, and nobody was told", number)
		}
		if r.Err == nil {
			turns++
			b.stored.Add(1)
		}
	}
	return turns
}

// more waits until more turns are stored than can have been on their way.
func (b *burden) more() {
	b.Helper()
	until := b.stored.Load() + 25*burdenPeers
	b.eventually("turns are stored", func() bool { return b.stored.Load() >= until })
}

// TestKilledServer: the store goes on over deaths of the server's processes, and of the whole server, and what it has told
// holds.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, c := range []struct {
		name string
		kill func(t *testing.T, w *world, s *server, url string)
	}{
		{"its connections", func(t *testing.T, _ *world, s *server, url string) { t.Helper(); s.killConnections(t, url) }},
		{"one process with kill -9", func(t *testing.T, w *world, s *server, url string) {
			t.Helper()
			before := 0
			w.eventually("one is there", func() bool {
				before = s.checkpointer(t.Context(), url)
				return before != 0 && s.shoot(t.Context(), url)
			})
			w.eventually("the server has begun anew", func() bool {
				now := s.checkpointer(t.Context(), url)
				return now != 0 && now != before
			})
		}},
		{"all of it with kill -9", func(t *testing.T, _ *world, s *server, _ string) {
			t.Helper()
			if err := s.Kill(); err != nil {
				t.Error(err)
			}
			if err := s.Start(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			s := ownServer(t)
			url := s.schema(t)
			w, _ := pgWorld(t, url)
			b := &burden{world: w}
			var turns [burdenPeers]int64
			var all sync.WaitGroup
			for peer := range turns {
				all.Go(func() { turns[peer] = b.carry(int64(peer)) })
			}
			b.more()
			for range 3 {
				c.kill(t, w, s, url)
				b.more()
			}
			b.enough.Store(true)
			all.Wait()
			sum := int64(0)
			for peer, n := range turns {
				w.isNamed(event.Key{Account: ana, Peer: platform.UserID(peer + 1)}, n, strconv.FormatInt(n, 10))
				sum += n
			}
			w.same("open", int(sum), len(w.opened()))
			w.restart()
			w.same("open", int(sum), len(w.opened()))
		})
	}
}

// TestKilledBeforeAServer: whatever a process has acknowledged before a kill -9 is there after it, and whole.
func TestKilledBeforeAServer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	killedOften(t, pgServer(t).schema(t))
}
