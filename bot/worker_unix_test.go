//go:build unix

package bot_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/bot/store"
)

// run lets a worker run by itself. What it ends with comes from the channel.
func (w *works) run(ctx context.Context, name string, begun func(*bot.Working)) <-chan error {
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeats()[:1]})
	if err != nil {
		w.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(w.t.Output(), nil)).With("worker", name)
	ended := make(chan error, 1)
	go func() {
		ended <- bot.RunWorker(ctx, bot.WorkerConfig{
			Card: lease.Card{Name: name}, Store: store.Options{Path: w.url, Key: secretKey}, Accounts: w.of, Log: log,
			Serve: func(ctx context.Context, l *bot.Working) error {
				b, err := bot.New(bot.Config{
					MayBeIdle: true, Log: log, Store: l.Store, Router: router, Transport: l.Transport, PollInterval: 200 * time.Millisecond,
					Pace: &outbox.Pace{}, Ceiling: bot.Ceiling{Max: -1}, SettleGrace: 2 * time.Second, RequestTimeout: 2 * time.Second,
				})
				if err != nil {
					return err
				}
				l.Use(b)
				begun(l)
				return b.Run(ctx)
			},
		})
	}()
	return ended
}

// A worker whose lease is lost ends its bot, enters anew by itself, and goes on where it was. One of a name that another one has does not
// begin.
func TestWorkerEntersAnew(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 4)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	lives := make(chan *bot.Working, 10)
	ended := w.run(ctx, "a", func(l *bot.Working) { lives <- l })
	first := <-lives
	w.settle()
	w.say("before")
	w.answered("the first lease")
	if err := <-w.run(ctx, "a", func(*bot.Working) { t.Error("two workers of one name run") }); !errors.Is(err, lease.ErrNameTaken) {
		t.Errorf("a second one of the name ends with %v", err)
	}

	board, err := store.OpenBoard(ctx, w.url, store.BoardOptions{Looks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	w.say("while it is taken over")
	for taken := false; !taken; { // it moves in between
		v, err := board.Look(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if taken, err = board.TakeOver(ctx, v.Worker(first.Seat.Worker).Sight); err != nil {
			t.Fatal(err)
		}
	}
	second := <-lives
	if second.Seat.Worker != first.Seat.Worker || second.Seat.Epoch <= first.Seat.Epoch {
		t.Errorf("it enters anew as %v, and was %v", second.Seat, first.Seat)
	}
	w.answered("it was taken over")
	w.say("after")
	w.answered("the second lease")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	v, err := board.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if me := v.Worker(first.Seat.Worker); me.State != lease.StateGone {
		t.Errorf("it has stopped, and is %v", me.State)
	}
}

// A worker whose bot cannot run ends, and leaves nothing behind on the board.
func TestWorkerWhoseBotFails(t *testing.T) {
	t.Parallel()
	w := newWorks(t, 1)
	broken := fmt.Errorf("it is broken")
	err := bot.RunWorker(t.Context(), bot.WorkerConfig{
		Card: lease.Card{Name: "a"}, Store: store.Options{Path: w.url, Key: secretKey}, Accounts: w.of,
		Serve: func(context.Context, *bot.Working) error { return broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("it ends with %v", err)
	}
	board, err := store.OpenBoard(t.Context(), w.url, store.BoardOptions{Looks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = board.Close() }()
	v, err := board.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Workers {
		if p.State != lease.StateGone {
			t.Errorf("%q is %v", p.Name, p.State)
		}
	}
}
