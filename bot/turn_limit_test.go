package bot_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// perPerson is a limit of each person.
func perPerson(t *bot.Turn, limit string, n int) event.LimitUse {
	return event.LimitUse{Limit: limit, Scope: fmt.Sprintf("peer:%d", t.Trigger.Key.Peer), Max: n, GiveBack: true}
}

// raffle answers "won" as often as its limits allow, of the first one that each person may have, and "lost" or
// "again" otherwise. It does not ask what was used up.
func raffle(total int, denied *atomic.Int64) bot.Route {
	return bot.On("raffle", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		switch {
		case t.Denied("each"):
			denied.Add(1)
			return t.Reply("again")
		case t.Denied("total"):
			denied.Add(1)
			return t.Reply("lost")
		}
		t.UseLimit(perPerson(t, "each", 1))
		t.UseLimit(event.LimitUse{Limit: "total", Max: total, GiveBack: true})
		return t.Reply("won")
	})
}

// Many race for the last uses of a limit, each with many messages at once, over crashes: exactly as many win as
// the limit says, and everybody is answered once for each message.
func TestLastUses(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	const people, each, total = 12, 8, 5
	for crash := time.Duration(0); crash < 400*time.Millisecond; crash += 40 * time.Millisecond {
		if !effort.Some(crash.String()) {
			continue
		}
		t.Run(crash.String(), func(t *testing.T) {
			effort.Case(t)
			var denied atomic.Int64
			bottest.Run(t, bottest.Config{
				Routes: []bot.Route{raffle(total, &denied)},
				Bot:    bot.Config{PollInterval: 100 * time.Millisecond, Pace: &event.Pace{}, Concurrency: 8},
			}, func(w *bottest.World) {
				since := w.Platform().Ledger().Len()
				for range each / 2 {
					for i := range people {
						w.Person(fmt.Sprintf("guest%02d", i)).Says("me", "me")
					}
				}
				if crash > 0 {
					w.Advance(crash)
					w.Crash()
					w.Advance(crash)
					w.Crash()
				}
				w.Advance(10 * time.Minute)
				said := map[string]int{}
				for _, e := range w.Platform().Ledger().Since(since) {
					if e.Kind == emulator.Arrived && e.ByAPI {
						said[e.Text]++
					}
				}
				if said["won"] != total || said["won"]+said["lost"]+said["again"] != people*each {
					t.Errorf("the answers are %v\n%s", said, w.Log())
				}
				if crash == 0 && denied.Load() == 0 {
					t.Error("nobody was denied: the test does not race")
				}
			})
		})
	}
}

// A turn asks how many uses count, with those before it that are still on their way: nothing is denied then.
func TestUsesOfTurnsAhead(t *testing.T) {
	t.Parallel()
	var denied atomic.Int64
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("count", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			c := perPerson(t, "thrice", 3)
			n, err := t.Uses(ctx, c)
			listed, err2 := t.Listed(ctx, "lucky")
			if has, err := t.HasEntry(ctx, "lucky", "a"); err != nil || has != listed {
				return fmt.Errorf("has %v: %w", has, err)
			}
			if err != nil || err2 != nil {
				return fmt.Errorf("%w %w", err, err2)
			}
			if t.Denied(c.Limit) {
				denied.Add(1)
			}
			if n < c.Max {
				t.UseLimit(c)
				t.Record(event.Entry{List: "lucky", Key: t.Text()})
			}
			return t.Reply(fmt.Sprint(n, listed))
		}),
	}, CommitTime: 50 * time.Millisecond}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a", "b", "c", "d", "e", "f")
		ana.Expects("0 false", "1 true", "2 true", "3 true", "3 true", "3 true")
		w.Restart()
		ana.Says("g")
		ana.Expects("3 true")
		if denied.Load() > 0 {
			t.Errorf("%d turns were denied", denied.Load())
		}
	})
}

// A handler that uses what was denied fails like any other, and keeps nobody out.
func TestLimitUseInSpiteOfADenial(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("first", func(_ context.Context, t *bot.Turn) error {
			t.UseLimit(event.LimitUse{Limit: "one", Max: 1})
			return t.Reply("yes")
		}),
		on("mine", func(_ context.Context, t *bot.Turn) error {
			t.UseLimit(event.LimitUse{Limit: "one", Max: 1})
			return t.Reply("yes")
		}),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("first", "mine", "hello")
		ana.Expects("yes", "hello")
		w.Advance(5 * time.Minute)
		if q := quarantined(w, ana); len(q) != 1 || !strings.Contains(q[0].Record.Note, "one was used again") {
			t.Errorf("quarantined are %+v", q)
		}
	})
}

// A use does not count when its answer does not come about: refused by the platform, or taken back since a
// person wrote.
func TestUseIsGivenBack(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	route := func(options ...bot.Option) bot.Route {
		return bot.On("once", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			if t.Denied("once") {
				return nil
			}
			t.UseLimit(perPerson(t, "once", 1))
			t.Follow()
			return t.Reply("welcome", options...)
		})
	}
	t.Run("refused", func(t *testing.T) {
		effort.Case(t)
		bottest.Run(t, bottest.Config{Routes: []bot.Route{route()}}, func(w *bottest.World) {
			ana := w.Person("ana")
			w.Platform().SetPrivacy(ana.ID(), false, true)
			ana.Says("hi")
			ana.ExpectsFollow()
			ana.ExpectsNothing(time.Minute)
			w.Platform().SetPrivacy(ana.ID(), false, false)
			w.Crash()
			ana.Says("hi")
			ana.Expects("welcome")
			ana.Says("hi")
			ana.ExpectsNothing(time.Minute)
		})
	})
	t.Run("taken back", func(t *testing.T) {
		effort.Case(t)
		bottest.Run(t, bottest.Config{Routes: []bot.Route{route(bot.In(time.Hour))}, Bot: bot.Config{TakeoverFor: 2 * time.Hour}}, func(w *bottest.World) {
			ana := w.Person("ana")
			ana.Says("hi")
			w.Advance(time.Minute)
			ana.ExpectsFollow()
			w.Account("bot").Tells(ana, "hello, it is Mia")
			ana.ExpectsNothing(3 * time.Hour)
			ana.Says("hi")
			w.Advance(time.Hour)
			ana.Expects("welcome")
			ana.Says("hi")
			ana.ExpectsNothing(2 * time.Hour)
		})
	})
}
