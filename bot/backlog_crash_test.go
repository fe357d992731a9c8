package bot_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// What was unread before the first start is answered, wherever in that start a crash comes: the platform may
// count as read what it has shown.
func TestCrashInAFirstStart(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for after := 30 * time.Millisecond; after < 150*time.Millisecond; after += 4 * time.Millisecond {
		if !effort.Some(after.String()) {
			continue
		}
		t.Run(after.String(), func(t *testing.T) {
			effort.Case(t)
			synctest.Test(t, func(t *testing.T) { crashInAFirstStart(t, after) })
		})
	}
}

func crashInAFirstStart(t *testing.T, after time.Duration) {
	t.Helper()
	p := emulator.New(emulator.Config{})
	account := p.AddAccount(emulator.Person{Username: "bot"}, "bot@social.example", "secret")
	ana, leo := p.AddPerson(emulator.Person{Username: "ana"}), p.AddPerson(emulator.Person{Username: "leo"})
	p.Say(ana, account, "anybody?")
	p.Say(leo, account, "hello?")
	p.Say(ana, account, "please?")
	p.Follow(ana, account)
	time.Sleep(time.Hour)
	file := t.TempDir() + "/nectar.db"
	firstStart(t, p, file, after)
	firstStart(t, p, file, 3*time.Minute)
	got := map[string]int{}
	for _, e := range p.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.ByAPI {
			got[e.Text]++
		}
	}
	if diff := cmp.Diff(map[string]int{"anybody?": 1, "hello?": 1, "please?": 1}, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// firstStart runs a bot on a database that stores nothing any more after a while, and asks for nothing.
func firstStart(t *testing.T, p *emulator.Platform, file string, after time.Duration) {
	t.Helper()
	dead := time.Now().Add(after)
	pipe := emulator.NewPipe(p)
	defer func() { _ = pipe.Close() }()
	st, err := store.Open(t.Context(), store.Options{Path: file, Fast: true, Around: func(commit func() error) error {
		time.Sleep(3 * time.Millisecond)
		if !time.Now().Before(dead) {
			return errors.New("there is no power")
		}
		return commit()
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{echo()}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bot.New(bot.Config{
		Accounts: []bot.Account{{
			Name: "main", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@social.example", Password: "secret"},
		}},
		Store: st, Router: router, Pace: &event.Pace{}, Backlog: event.Unread,
		Transport: trip(func(r *http.Request) (*http.Response, error) {
			time.Sleep(10 * time.Millisecond)
			if !time.Now().Before(dead) {
				return nil, errors.New("there is no power")
			}
			answer, err := pipe.Transport().RoundTrip(r)
			time.Sleep(10 * time.Millisecond)
			return answer, err
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	time.Sleep(after)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
