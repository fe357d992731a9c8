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
	"github.com/nectar-bot/nectar/platform/emulator"
)

func TestLimitUses(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("once", func(_ context.Context, t *bot.Turn) error {
			return errors.Join(t.Reply("welcome", bot.Once("welcome")), t.Reply("always"))
		}),
		on("two", func(_ context.Context, t *bot.Turn) error { return t.Reply("two", bot.AtMost(2, time.Hour, "two")) }),
		on("all", func(_ context.Context, t *bot.Turn) error {
			return t.Reply("all", bot.AtMostInAll(3, time.Hour, "all"))
		}),
		bot.On("repost", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			return t.Message("thank you", bot.OncePerPost("thanks", r.Post))
		}),
	}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("once", "once")
		ana.Expects("welcome", "always", "always")
		leo.Says("once")
		leo.Expects("welcome", "always")
		ana.Says("two", "two", "two")
		ana.Expects("two", "two")
		ana.ExpectsNothing(30 * time.Minute)
		w.Crash()
		ana.Says("two", "once")
		ana.Expects("always")
		ana.ExpectsNothing(31 * time.Minute)
		ana.Says("two")
		ana.Expects("two")

		ana.Says("all")
		ana.Expects("all")
		leo.Says("all", "all")
		leo.Expects("all", "all")
		ana.Says("all")
		ana.ExpectsNothing(time.Minute)

		one, two := w.Posts("one"), w.Posts("two")
		ana.Reposts(one)
		ana.Expects("thank you")
		w.Platform().Unrepost(ana.ID(), one)
		ana.Reposts(one)
		ana.Reposts(two)
		leo.Reposts(one)
		ana.Expects("thank you")
		leo.Expects("thank you")
		ana.ExpectsNothing(time.Minute)
		leo.ExpectsNothing(0)
	})
}

// A limit is exact wherever a crash comes.
func TestLimitUsesOverCrashes(t *testing.T) {
	t.Parallel()
	for after := time.Duration(0); after < 260*time.Millisecond; after += 12 * time.Millisecond {
		if !effort.Some(after.String()) {
			continue
		}
		t.Run(after.String(), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				bot.On("greet", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
					return errors.Join(t.Reply("welcome", bot.Once("welcome")), t.Reply(m.Text))
				}),
			}, Bot: bot.Config{PollInterval: 100 * time.Millisecond}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("a", "b")
				w.Advance(after)
				w.Crash()
				w.Advance(after)
				w.Crash()
				ana.Says("c")
				ana.Expects("welcome", "a", "b", "c")
				ana.ExpectsNothing(time.Minute)
			})
		})
	}
}

// A fact is recorded with the first try of a turn and is the same for all the others.
func TestFactsAreRecordedOnce(t *testing.T) {
	t.Parallel()
	asked, tries := 0, 0
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("order", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			number, err := bot.Fact(ctx, t, "once:order", func(context.Context) (int, error) { asked++; return asked, nil })
			if err != nil {
				return err
			}
			again, err := bot.Fact(ctx, t, "once:order", func(context.Context) (int, error) { return 99, nil })
			if err != nil || again != number {
				return fmt.Errorf("the same fact is %d and %d: %w", number, again, err)
			}
			if tries++; tries < 3 {
				return errors.New("not yet")
			}
			return t.Reply(fmt.Sprintf("order %d", number))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a tea")
		ana.Expects("order 1")
		ana.Says("another")
		ana.Expects("order 2")
	})
}

// What a try recorded is what the next incarnation sees.
func TestFactsOverCrashes(t *testing.T) {
	t.Parallel()
	var asked, tries atomic.Int64
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("order", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			number, err := bot.Fact(ctx, t, "once:order", func(context.Context) (int64, error) { return asked.Add(1), nil })
			if err != nil {
				return err
			}
			if tries.Add(1) < 4 {
				return errors.New("not yet")
			}
			return t.Reply(fmt.Sprintf("order %d", number))
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a tea")
		w.Advance(15 * time.Second)
		w.Crash()
		w.Advance(5 * time.Second)
		w.Restart()
		ana.Expects("order 1")
	})
}

func TestFactThatCannotBeRead(t *testing.T) {
	t.Parallel()
	asked := 0
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("order", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			if _, err := bot.Fact(ctx, t, "stock", func(context.Context) (int, error) {
				if asked++; asked < 3 {
					return 0, errors.New("the shop does not answer")
				}
				return 7, nil
			}); err != nil {
				return err
			}
			return t.Reply("in stock")
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a tea")
		ana.Expects("in stock")
	})
}

// While the platform cannot be read, a turn that has to read it waits; it is not the handler's fault.
func TestReadingWaitsForThePlatform(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("follow", bot.AnyFollow(), func(ctx context.Context, t *bot.Turn, _ event.Follow) error {
			p, err := t.Profile(ctx)
			if err != nil {
				return err
			}
			return t.Message("welcome, " + p.FirstName)
		}),
	}, Patience: time.Hour}, func(w *bottest.World) {
		ana := w.Person("ana")
		faults := make([]emulator.Fault, 100)
		for i := range faults {
			faults[i] = emulator.Err500Before
		}
		w.Disturb("profile", faults...)
		ana.Follows()
		ana.ExpectsNothing(4 * time.Minute)
		ana.Expects("welcome, Ana")
		for _, rec := range w.Decisions(ana) {
			if rec.Outcome != bot.OutcomeHandled {
				t.Errorf("the trace is %v", rec)
			}
		}
	})
}
