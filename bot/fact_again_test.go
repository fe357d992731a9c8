package bot_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// misfortune is what befalls a turn the first times that it runs.
type misfortune struct {
	fails int64 // tries
	full  int64 // commits after it, or after its tries
	deny  bool  // a limit use
}

// A turn that begins anew sees the facts that it has recorded, whatever it was that failed: what is done to record
// them is not done twice.
func TestFactsOfATurnThatBeginsAnew(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]misfortune{
		"tries": {fails: 2}, "commits": {full: 2}, "tries and commits": {fails: 2, full: 2}, "claim": {deny: true},
	} {
		t.Run("message/"+name, func(t *testing.T) {
			effort.Case(t)
			factsAgain(t, m, false)
		})
		t.Run("timer/"+name, func(t *testing.T) {
			effort.Case(t)
			factsAgain(t, m, true)
		})
	}
}

func factsAgain(t *testing.T, m misfortune, timer bool) {
	t.Helper()
	var asked, began, full atomic.Int64
	order := func(ctx context.Context, t *bot.Turn) error {
		number, err := bot.Fact(ctx, t, "order", func(context.Context) (int64, error) { return asked.Add(1), nil })
		if err != nil {
			return err
		}
		n := began.Add(1)
		if n <= m.full {
			full.Store(1)
		}
		if n <= m.fails {
			return errors.New("not yet")
		}
		if m.deny && !t.Denied("none") {
			t.UseLimit(event.LimitUse{Limit: "none", Max: -1})
		}
		return t.Reply(fmt.Sprintf("order %d", number))
	}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			bot.On("tea", saying("a tea"), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
				if timer {
					t.After(time.Minute, "order")
					return nil
				}
				return order(ctx, t)
			}),
			bot.On("order", bot.Timer("order"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return order(ctx, t) }),
		},
		Commit: func(commit func() error) error {
			if full.CompareAndSwap(1, 0) {
				return errors.New("disk full")
			}
			return commit()
		},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a tea")
		ana.Expects("order 1")
		if began.Load() == 1 {
			t.Error("the turn did not begin anew")
		}
	})
}
