package bot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// lateReads is a store that does not tell at once which events of an account wait.
type lateReads struct {
	store.Store
	account event.Account
	asked   chan struct{} // closed when it is asked
	tells   chan struct{} // closed for it to tell
}

func (s lateReads) PendingEvents(ctx context.Context, account event.Account, peer int64, limit int) ([]store.PendingEvent, error) {
	if account == s.account {
		close(s.asked)
		<-s.tells
	}
	return s.Store.PendingEvents(ctx, account, peer, limit)
}

// A handler runs alone while another account is taken up, and ends before that is done: what people have asked of the other account is done all the same.
func TestTakenUpWhileAHandlerRanAlone(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		bar := s.cfg
		bar.Name, bar.Email = "bar", "bar@b.example"
		s.platform.AddAccount(emulator.Person{Username: "bar"}, bar.Email, bar.Password)
		s.bar = &bar
		alone, ends := make(chan struct{}), make(chan struct{})
		var done atomic.Bool
		s.routes = []bot.Route{
			on("", func(context.Context, *bot.Turn) error {
				close(alone)
				<-ends
				return nil
			}),
			bot.On("open", bot.Asked("open"), func(context.Context, *bot.Turn, event.Told) error {
				done.Store(true)
				return nil
			}),
		}
		late := lateReads{s.store, "bar", make(chan struct{}), make(chan struct{})}
		s.reads = late
		ctx := context.WithoutCancel(t.Context())
		// The last worker of the shop has died: what waits there runs alone.
		s.store.Commit(store.Write{
			Known:   &store.Known{Account: "shop", Fact: event.Fact{Name: "spent", Value: []byte(`{"open":true}`), ReadAt: time.Now()}},
			Pending: []event.Event{written("shop", 1)}, Done: func(store.Receipt) {},
		})
		d, err := store.OpenInspector(ctx, s.path, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Ask(ctx, event.Request{Key: event.Own("bar"), Wish: event.WishTell, Subject: "open"})
		if _ = d.Close(); err != nil {
			t.Fatal(err)
		}

		h, stop := s.worker()
		<-alone
		taken := make(chan struct{})
		go func() {
			defer close(taken)
			h.TakeShards(ctx, []lease.Holding{{Shard: event.Account("bar").Shard()}})
		}()
		<-late.asked
		close(ends)
		time.Sleep(10 * time.Second)
		close(late.tells)
		<-taken
		time.Sleep(time.Minute)
		if !done.Load() {
			t.Error("what was asked of the account is not done")
		}
		stop()
	})
}

// An account that goes and comes again before the suspects of an earlier death have run keeps them: a handler that ends the process is found all the same.
func TestAccountThatGoesWithSuspects(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	r := &reaper{}
	c := poisonous(r)
	c.Accounts = []event.Account{"bot", "shop"}
	bottest.Run(t, c, func(w *bottest.World) {
		w.Account("bot").Person("mal").Says("poison")
		w.Account("bot").Person("ana").Says("hello")
		for over := time.Now().Add(2 * time.Minute); time.Now().Before(over); {
			before := r.starts
			r.pass(w, 100*time.Millisecond)
			if r.starts > before {
				w.RemoveAccount("bot")
				w.AddAccount("bot")
			}
		}
		if found := quarantines(t, w); r.starts < 5 || r.starts > 8 || len(found) != 1 || found["poison"] != event.Because("crash.repeated", "tries", "5") {
			t.Errorf("the bot was started %d times, and quarantined: %v", r.starts, found)
		}
		if most := longest(t, w, "hello", 1); most > time.Minute {
			t.Errorf("somebody waited for %v", most)
		}
	})
}
