package bot_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// However many timers cannot fire – of accounts that are not served any more, of conversations whose
// handler does not get on – the others fire in time.
func TestTimersDoNotWaitForOthers(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, c := range map[string]struct {
		account event.Account
		timer   string
	}{"of an account that is gone": {"gone", "good"}, "of stuck conversations": {"bot", "stuck"}} {
		for _, n := range []int{10, 255, 256, 257, 2000} {
			if effort.Few() && n > 256 {
				continue
			}
			t.Run(fmt.Sprintf("%d %s", n, name), func(t *testing.T) {
				effort.Case(t)
				synctest.Test(t, func(t *testing.T) { ringBehind(t, n, event.Timer{Key: event.Key{Account: c.account}, Name: c.timer}) })
			})
		}
	}
}

// ringBehind starts a bot whose store has n timers that cannot fire, and one behind them that can.
func ringBehind(t *testing.T, n int, other event.Timer) {
	t.Helper()
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{Username: "bot"}, "bot@example.com", "correct horse")
	ana := p.AddPerson(emulator.Person{Username: "ana"})
	pipe := emulator.NewPipe(p)
	st, err := store.Open(t.Context(), store.Options{Path: t.TempDir() + "/nectar.db", Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		other.Key.Peer = ana + 1 + platform.UserID(i)
		setTimer(t, st, other)
	}
	setTimer(t, st, event.Timer{Key: event.Key{Account: "bot", Peer: ana}, Name: "good", Due: time.Now()})
	router, err := bot.NewRouter(bot.RouterConfig{Routes: []bot.Route{
		bot.On("good", bot.Timer("good"), says[event.Timer]("ding")),
		bot.On("stuck", bot.Timer("stuck"), func(ctx context.Context, _ *bot.Turn, _ event.Timer) error { <-ctx.Done(); return ctx.Err() }),
	}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bot.New(bot.Config{
		Accounts: []bot.Account{{
			Name: "bot", BaseURL: pipe.BaseURL(), Credentials: session.Credentials{Email: "bot@example.com", Password: "correct horse"},
		}},
		Store: st, Router: router, Transport: pipe.Transport(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for seq, rung := int64(0), false; !rung; seq = p.Ledger().Len() {
		if p.Ledger().Wait(patience, seq) != nil {
			t.Error("the timer behind the others has not fired")
			break
		}
		for _, e := range p.Ledger().Since(seq) {
			rung = rung || e.Kind == emulator.Arrived && e.To == ana
		}
	}
	stop()
	if err := errors.Join(<-ended, pipe.Close(), st.Close()); err != nil {
		t.Error(err)
	}
}

// setTimer stores a timer that has been due for an hour, unless it says otherwise.
func setTimer(t *testing.T, st store.Store, timer event.Timer) {
	t.Helper()
	if timer.Due.IsZero() {
		timer.Due = time.Now().Add(-time.Hour)
	}
	timer.Occurrence = 1
	stored := make(chan error, 1)
	st.Commit(store.Write{Turn: &store.Turn{
		Trigger: event.Trigger{Kind: event.ByRequest, Key: timer.Key, Choice: fmt.Sprint("set ", timer.Key.Peer)},
		Timers:  []event.Timer{timer}, At: time.Now(),
	}, Done: func(r store.Receipt) { stored <- r.Err }})
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
}
