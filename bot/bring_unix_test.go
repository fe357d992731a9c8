//go:build unix

package bot_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// takes lets a bot take all shards of the accounts, and returns how it loses them again.
func (w *works) takes(st *store.Database) (lose func()) {
	w.t.Helper()
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeats()[:1]})
	if err != nil {
		w.t.Fatal(err)
	}
	b, err := bot.New(bot.Config{
		MayBeIdle: true, Store: st, Router: router, Transport: platform.NewTransport(), PollInterval: 100 * time.Millisecond,
		Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: -1},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	holder := bot.NewHolder(w.of)
	holder.Use(b)
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	<-b.Ready()
	var shards []lease.Holding
	for i := range w.accounts {
		if s := (lease.Holding{Shard: w.accounts[i].Name.Shard()}); !slices.ContainsFunc(shards, func(x lease.Holding) bool { return x.Shard == s.Shard }) {
			shards = append(shards, s)
		}
	}
	holder.TakeShards(ctx, shards)
	return func() {
		holder.EndLost(lease.Loss{Why: lease.ErrGone})
		stop()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	}
}

// Accounts that are taken up together work on from where their last term ended. What cannot be read of one stops no other.
func TestTakenUpTogether(t *testing.T) {
	t.Parallel()
	w := newWorks(t, 8)
	st, err := store.Open(t.Context(), store.Options{Path: w.url, Key: secretKey})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	lose := w.takes(st)
	w.quiesce()
	w.say("one")
	w.answered("the first one")
	lose()
	w.say("two") // while nobody is there
	lose = w.takes(st)
	w.answered("the second one")
	lose()
	if err := w.server.Exec(t.Context(), `UPDATE event SET text = '\x02ff' WHERE account = 'account00'`); err != nil {
		t.Fatal(err)
	}
	defer w.takes(st)()
	w.ids, w.people = w.ids[1:], w.people[1:]
	w.say("three")
	w.answered("beside one that cannot be read")
}
