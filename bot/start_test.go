package bot_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
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
	cfg      bot.Config
	platform *emulator.Platform
	store    *store.Database
	whole    atomic.Bool
	cable    cable // on the way to its disk
}

func newLameBot(t *testing.T, lamed ...event.Account) *lameBot {
	t.Helper()
	l := &lameBot{platform: emulator.New(emulator.Config{}), cable: cable{silent: time.Hour}}
	pipe := emulator.NewPipe(l.platform)
	var err error
	if l.store, err = store.Open(context.WithoutCancel(t.Context()), store.Options{
		Path: t.TempDir() + "/nectar.db", Fast: true, Around: l.cable.commit, Log: slog.New(slog.DiscardHandler),
	}); err != nil {
		t.Fatal(err)
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{on("", func(ctx context.Context, t *bot.Turn) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
			return t.Reply("yes")
		}
	}), bot.On("press", bot.Nudged("press"), func(_ context.Context, t *bot.Turn, _ event.Nudge) error { return t.Publish("news") })}})
	if err != nil {
		t.Fatal(err)
	}
	l.cfg = bot.Config{Store: lame{l.store, lamed, &l.whole}, Router: router, Transport: pipe.Transport()}
	for _, name := range []event.Account{"first", "second"} {
		c := session.Credentials{Email: string(name) + "@b.example", Password: "secret"}
		l.platform.AddAccount(emulator.Person{Username: string(name)}, c.Email, c.Password)
		l.cfg.Accounts = append(l.cfg.Accounts, bot.Account{Name: name, BaseURL: pipe.BaseURL(), Credentials: c})
	}
	if l.Bot, err = bot.New(l.cfg); err != nil {
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
	e := written(account, 1)
	l.commit(t, store.Write{Pending: []event.Event{e}})
	return func() bool {
		found, err := l.store.StoredEvents(context.WithoutCancel(t.Context()), account, []event.ID{e.ID})
		if err != nil {
			t.Fatal(err)
		}
		return found[e.ID]
	}
}

// tooLate stores an action of an account that waits, and must not leave any more.
func (l *lameBot) tooLate(t *testing.T, account event.Account) {
	t.Helper()
	e, now := written(account, 2), time.Now()
	l.commit(t, store.Write{Turn: &store.Turn{
		Trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, At: now,
		Actions: []record.Action{{Action: event.Action{
			Key: "late", Account: account, Peer: e.Peer, Verb: event.VerbMessage, Text: "good morning", State: event.StateDue,
			Due: now, DecidedAt: now, Position: 1, Until: now.Add(-time.Minute),
		}}},
	}})
}

func (l *lameBot) commit(t *testing.T, w store.Write) {
	t.Helper()
	stored := make(chan error, 1)
	w.Done = func(r store.Receipt) { stored <- r.Err }
	l.store.Commit(w)
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
}

// written is a message that an account has got.
func written(account event.Account, number int64) event.Event {
	return event.Event{Account: account, ID: event.ID{Source: event.Messages, Number: number}, Peer: 7, Kind: event.KindMessage, SeenAt: time.Now()}
}

// A bot that can take up none of its accounts ends, and what they had begun ends in order.
func TestAccountsThatCannotStart(t *testing.T) {
	effort.Shared(t)
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

// A stop ends a bot that is starting, or that tries an account again, while nobody can tell what became of a commit: it is over as
// soon as any other stop is, and was no failure.
func TestStopWhileStarting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lamed event.Account
		lost  time.Duration // from when on nobody can tell
	}{
		{name: "what is too late is withdrawn"},
		{name: "an account is tried again", lamed: "second", lost: time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			effort.Case(t)
			synctest.Test(t, func(t *testing.T) {
				l := newLameBot(t, c.lamed)
				l.tooLate(t, "first")
				time.AfterFunc(c.lost, func() {
					l.cable.loosen(1)
					l.store.Commit(store.Write{Pending: []event.Event{written("first", 8)}})
				})
				ctx, stop := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Minute)
				defer stop()
				synctest.Wait()
				if err := l.Run(ctx); err != nil {
					t.Errorf("Run: %v, want nil", err)
				}
				if end, _ := ctx.Deadline(); time.Since(end) < 0 || time.Since(end) > 30*time.Second {
					t.Errorf("the bot ended %v after the stop, want within 30s", time.Since(end))
				}
				l.cable.repair()
			})
		})
	}
}

// torn is a store that panics when it is asked for timers.
type torn struct{ store.Store }

// DueTimers panics.
func (torn) DueTimers(context.Context, time.Time, int) ([]record.DueTimer, time.Time, error) {
	panic("torn")
}

// A panic in one of the bot's own loops ends the bot at once: one that goes on without its timers would look as if nothing was wrong.
func TestPanicInALoop(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLameBot(t)
		l.cfg.Store = torn{l.cfg.Store}
		b, err := bot.New(l.cfg)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, stop := context.WithTimeout(context.WithoutCancel(t.Context()), time.Hour)
		defer stop()
		defer func() {
			if got := fmt.Sprint(recover()); !strings.Contains(got, "torn") || time.Since(began) > time.Minute {
				t.Errorf("after %v the bot ended with %q", time.Since(began), got)
			}
		}()
		t.Errorf("the bot ended with %v", b.Run(ctx))
	})
}

// presses lets an account publish three times, and checks how often it does.
func (l *lameBot) presses(t *testing.T, b *bot.Bot, account event.Account, want int) {
	t.Helper()
	since := time.Now()
	for range 3 {
		if err := b.Nudge(account, "press", nil); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
	}
	all, err := l.store.Published(context.WithoutCancel(t.Context()), account, since)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != want {
		t.Errorf("%s published %d times, want %d", account, len(all), want)
	}
}

// A limit that is put in force while an account cannot be taken up holds when it is.
func TestALimitOfAnAccountThatCannotStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLameBot(t, "second")
		end := begins(t, l.Bot)
		if err := l.LimitPublishing("second", &bot.Publishing{Most: 1, Within: time.Hour}); err != nil {
			t.Error(err)
		}
		l.whole.Store(true)
		time.Sleep(5 * time.Minute)
		l.presses(t, l.Bot, "first", 3)
		l.presses(t, l.Bot, "second", 1)
		end()
	})
}

// A bot may begin without accounts, when it is said to. What one that comes may publish is limited from its first action on.
func TestABotWithoutAccounts(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLameBot(t)
		cfg := l.cfg
		cfg.Accounts = nil
		if _, err := bot.New(cfg); err == nil {
			t.Error("a bot without accounts was made")
		}
		cfg.MayBeIdle = true
		b, err := bot.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		end := begins(t, b)
		handled := l.waits(t, "first")
		for _, err := range []error{b.Nudge("first", "press", nil), b.LimitPublishing("first", nil)} {
			if !errors.Is(err, bot.ErrNotServed) {
				t.Errorf("%v, want that it is not served", err)
			}
		}
		first := l.cfg.Accounts[0]
		first.Publishing = &bot.Publishing{Most: -1}
		if err := b.Add(first); err == nil {
			t.Error("an account with an absurd limit was taken up")
		}
		first.Publishing = &bot.Publishing{Most: 1, Within: time.Hour}
		if err := b.Add(first); err != nil {
			t.Fatal(err)
		}
		l.presses(t, b, "first", 1)
		if !handled() {
			t.Error("what the account was told before was not handled")
		}
		end()
	})
}

// begins runs a bot until end is called.
func begins(t *testing.T, b *bot.Bot) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	<-b.Ready()
	return func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
