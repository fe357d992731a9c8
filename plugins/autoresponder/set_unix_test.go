//go:build unix

package autoresponder_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// shared is a store on a server, with an inspector at which sets are published.
type shared struct {
	*testing.T
	bot.Store
	inspector inspect.Inspector

	mu   sync.Mutex
	log  strings.Builder
	told map[string]int
}

// onServer makes one.
func onServer(t *testing.T) *shared {
	t.Helper()
	server := pgtest.New(t)
	s := &shared{T: t, told: map[string]int{}}
	var err error
	if s.Store, err = bot.OpenStore(t.Context(), bot.StoreOptions{Path: server.URL(""), Key: "key"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if s.inspector, err = inspect.Open(t.Context(), server.URL(""), "key"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.inspector.Close() })
	return s
}

// Write takes lines of the log.
func (s *shared) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(line)
}

// publish publishes a file, 10-a.yaml, whether it works or not.
func (s *shared) publish(name string, seen int64, content string) {
	s.Helper()
	src := rules.Sources{"10-a.yaml": []byte(content)}
	encoded, err := src.Encode()
	if err == nil {
		_, err = s.inspector.Publish(s.Context(), record.Edition{Set: record.Set{Name: name, Hash: src.Hash()}, By: "ines"}, encoded, seen)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// starts starts a plugin for accounts that act by sets.
func (s *shared) starts(by map[event.Account]string) *autoresponder.Plugin {
	s.Helper()
	cfg := autoresponder.Config{
		Folders: map[event.Account]string{}, Look: 20 * time.Millisecond, Log: slog.New(slog.NewTextHandler(s, nil)),
		InForce: func(account event.Account, v *rules.Version) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.told[fmt.Sprint(account, " ", v.Hash())]++
		},
	}
	for account, set := range by {
		cfg.Accounts, cfg.Folders[account] = append(cfg.Accounts, account), record.PlaceOf(set)
	}
	slices.Sort(cfg.Accounts)
	p, err := autoresponder.New(cfg, s.Store)
	if err == nil {
		err = p.Start(s.Context())
	}
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// until waits for a condition.
func (s *shared) until(what string, is func() bool) {
	s.Helper()
	for began := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.Fatalf("%s: not within half a minute\n%s", what, &s.log)
		}
	}
}

// says waits for a line of the log.
func (s *shared) says(line string) {
	s.Helper()
	s.until(line, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Contains(s.log.String(), line)
	})
}

// TestPublishedRules: accounts act by the editions of their sets. One that does not work in this program leaves what was in force so,
// also over a restart, and the plugin says that it lacks it.
func TestPublishedRules(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	s := onServer(t)
	by := map[event.Account]string{"ana": "shop", "bo": "shop", "cy": "cafe"}
	s.publish("shop", 0, answering("one", "first"))
	p := s.starts(by)
	shop, lacks := p.Version("ana").Hash(), func(want ...event.Account) bool { return slices.Equal(slices.Sorted(slices.Values(p.Lacks())), want) }
	if got := p.Published(); !slices.Equal(got, []string{"rules shop 1"}) || !lacks("cy") || p.Version("cy") != nil {
		t.Errorf("at the start %v is in force", got)
	}
	s.says("nothing is published as cafe: nectar publish FOLDER cafe publishes a folder of rules so")
	s.publish("cafe", 0, answering("two", "second"))
	s.until("cafe 1", func() bool { return slices.Contains(p.Published(), "rules cafe 1") })
	if !lacks() {
		t.Error("not all are served")
	}

	s.publish("shop", 1, "version: 1\nrulez: []\n")
	s.says(`msg="what is published as shop 2 does not work in this program; what was in force stays so" set=shop`)
	s.says("file=10-a.yaml line=2")
	if got := p.Published(); !slices.Equal(got, []string{"rules cafe 1"}) || !lacks("ana", "bo") || p.Version("bo").Hash() != shop {
		t.Errorf("%v is in force", got)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	p = s.starts(by)
	if !lacks("ana", "bo") || p.Version("ana") == nil || p.Version("ana").Hash() != shop {
		t.Errorf("after a restart %v is in force", p.Published())
	}
	s.publish("shop", 2, answering("one", "first"))
	s.until("shop 3", func() bool { return slices.Contains(p.Published(), "rules shop 3") })
	s.publish("shop", 3, answering("one", "third"))
	s.until("shop 4", func() bool { return slices.Contains(p.Published(), "rules shop 4") })
	f, ok, err := s.RulesInForce(t.Context(), "bo")
	if err != nil || !ok || f.Folder != "store:shop" || f.Hash != p.Version("bo").Hash() || f.Hash == shop {
		t.Errorf("%+v, %v, %v", f, ok, err)
	}

	if err := p.SetAccounts(t.Context(), []event.Account{"ana", "cy"}, map[event.Account]string{"ana": "store:cafe", "cy": "store:cafe"}); err != nil {
		t.Fatal(err)
	}
	if got := p.Published(); !slices.Equal(got, []string{"rules cafe 1"}) || p.Version("ana").Hash() != p.Version("cy").Hash() || p.Version("bo") != nil {
		t.Errorf("after accounts came and went %v is in force", got)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.told["ana "+shop]; n != 2 {
		t.Errorf("the first edition was told %d times\n%s", n, &s.log)
	}
}
