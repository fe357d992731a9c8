package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// lame is a store that cannot read what some of its accounts left behind.
type lame struct {
	store.Store
	accounts []event.Account
	whole    *atomic.Bool // it can
}

// Held fails for the accounts, a moment after the others have begun.
func (s lame) HeldBefore(ctx context.Context, account event.Account, before time.Time, limit int) ([]event.Action, error) {
	for _, a := range s.accounts {
		if a == account && !s.whole.Load() {
			synctest.Wait()
			return nil, errors.New("the disk fails")
		}
	}
	return s.Store.HeldBefore(ctx, account, before, limit)
}

// lameBot is a bot of the accounts "first" and "second" whose store cannot read what some of them left behind.
type lameBot struct {
	*bot.Bot
	platform *emulator.Platform
	store    *store.Database
	whole    atomic.Bool
}

func newLameBot(t *testing.T, lamed ...event.Account) *lameBot {
	t.Helper()
	l := &lameBot{platform: emulator.New(emulator.Config{})}
	pipe := emulator.NewPipe(l.platform)
	var err error
	if l.store, err = store.Open(context.WithoutCancel(t.Context()), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true}); err != nil {
		t.Fatal(err)
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{on("", func(ctx context.Context, t *bot.Turn) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
			return t.Reply("yes")
		}
	})}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := bot.Config{Store: lame{l.store, lamed, &l.whole}, Router: router, Transport: pipe.Transport()}
	for _, name := range []event.Account{"first", "second"} {
		c := session.Credentials{Email: string(name) + "@b.example", Password: "secret"}
		l.platform.AddAccount(emulator.Person{Username: string(name)}, c.Email, c.Password)
		cfg.Accounts = append(cfg.Accounts, bot.Account{Name: name, BaseURL: pipe.BaseURL(), Credentials: c})
	}
	if l.Bot, err = bot.New(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(l.store.Close(), pipe.Close()); err != nil {
			t.Error(err)
		}
	})
	return l
}

// waits stores an event of an account that waits for its turn, and returns whether it was handled.
func (l *lameBot) waits(t *testing.T, account event.Account) (handled func() bool) {
	t.Helper()
	e := event.Event{Account: account, ID: event.ID{Source: event.Messages, Number: 1}, Peer: 7, Kind: event.KindMessage, SeenAt: time.Now()}
	stored := make(chan error, 1)
	l.store.Commit(store.Write{Pending: []event.Event{e}, Done: func(r store.Receipt) { stored <- r.Err }})
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	return func() bool {
		found, err := l.store.Stored(context.WithoutCancel(t.Context()), account, []event.ID{e.ID})
		if err != nil {
			t.Fatal(err)
		}
		return found[e.ID]
	}
}

// A bot that can take up none of its accounts ends, and what they had begun ends in order.
func TestAccountsThatCannotStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLameBot(t, "first", "second")
		if err := l.Run(context.WithoutCancel(t.Context())); err == nil {
			t.Error("it ran")
		}
	})
}

// An account that cannot be taken up stops no other one, and is taken up when it can be.
func TestAnAccountThatCannotStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLameBot(t, "second")
		first, second := l.waits(t, "first"), l.waits(t, "second")
		ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		time.Sleep(5 * time.Minute)
		if !first() || second() {
			t.Errorf("handled are the event of the first account: %t, of the second: %t; want the first alone", first(), second())
		}
		l.whole.Store(true)
		time.Sleep(5 * time.Minute)
		if !second() {
			t.Error("the second account was not taken up when that could be done")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
