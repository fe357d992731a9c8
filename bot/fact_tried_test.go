package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What a try recorded is what the next incarnation sees, whether it failed, or waits for the platform, and whatever began
// its turn.
func TestFactsOfATryOverCrashes(t *testing.T) {
	t.Parallel()
	for _, timer := range []bool{false, true} {
		for _, waits := range []bool{false, true} {
			t.Run(fmt.Sprintf("timer %v waits %v", timer, waits), func(t *testing.T) {
				effort.Case(t)
				factsOverCrashes(t, timer, waits)
			})
		}
	}
}

func factsOverCrashes(t *testing.T, timer, waits bool) {
	t.Helper()
	var asked, tries atomic.Int64
	order := func(ctx context.Context, t *bot.Turn) error {
		number, err := bot.Fact(ctx, t, "once:order", func(context.Context) (int64, error) { return asked.Add(1), nil })
		if err != nil {
			return err
		}
		if _, err := t.Profile(ctx); err != nil {
			return err
		}
		if tries.Add(1) < 5 && !waits {
			return errors.New("not yet")
		}
		return t.Message(fmt.Sprintf("order %d", number))
	}
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("tea", saying("a tea"), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			if timer {
				t.After(time.Minute, "order")
				return nil
			}
			return order(ctx, t)
		}),
		bot.On("order", bot.Timer("order"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return order(ctx, t) }),
	}, Patience: time.Hour}, func(w *bottest.World) {
		ana := w.Person("ana")
		if waits {
			w.Disturb("profile", slices.Repeat([]emulator.Fault{emulator.Err500Before}, 100)...)
		}
		ana.Says("a tea")
		w.Advance(15 * time.Second)
		if timer {
			w.Advance(time.Minute)
		}
		if n := tries.Load(); asked.Load() != 1 || n >= 4 || waits != (n == 0) {
			t.Errorf("%d orders in %d tries before the crash", asked.Load(), n)
		}
		w.Crash()
		w.Advance(time.Second / 2)
		w.Restart()
		ana.Expects("order 1")
		ana.ExpectsNothing(time.Hour)
	})
}
