package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Two bots that answer each other are stopped by the ceiling, without anybody configuring one. It is
// told once, and people go on being answered.
func TestTwoBotsStopTalking(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		defer another(t, w, "rival", bot.Config{Ceiling: bot.Ceiling{Max: -1}, TakeoverFor: -1}, echo())()
		us, rival := w.Account("bot").ID(), w.Platform().UserID("rival")
		w.Platform().SayAs(rival, us, "hello")
		w.Advance(9 * time.Minute)
		if n := said(w, us, rival); n != bot.DefaultCeiling().Max {
			t.Errorf("the bot said %d things to the other one", n)
		}
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		if n := strings.Count(w.Log(), "the bot has said too much to one person"); n != 1 {
			t.Errorf("that was told %d times", n)
		}
		w.Advance(30 * time.Minute) // neither says anything any more
		if n := said(w, us, rival); n != bot.DefaultCeiling().Max {
			t.Errorf("later it has said %d things", n)
		}
	})
}

// said counts the messages of an account to somebody.
func said(w *bottest.World, from, to platform.UserID) (n int) {
	for _, e := range w.Platform().Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.From == from && e.To == to {
			n++
		}
	}
	return n
}

// Two ordinary bots, neither of which knows of the other, stop in public, too.
func TestTwoBotsStopReplying(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	route := bot.On("reply", bot.AnyReply(), func(_ context.Context, t *bot.Turn, r event.Reply) error { return t.Reply("no, " + r.From.User) })
	bottest.Run(t, bottest.Config{Routes: []bot.Route{route}}, func(w *bottest.World) {
		defer another(t, w, "rival", bot.Config{}, route)()
		post := w.Posts("the earth is round")
		w.Platform().Reply(w.Platform().UserID("rival"), post, "it is not")
		w.Advance(20 * time.Minute)
		if n := entries(w, emulator.Published); n < 10 || n > 2*bot.DefaultCeiling().Max {
			t.Errorf("they wrote %d replies", n)
		}
	})
}

// The ceiling counts exactly, wherever a crash comes, and over all routes; what is above it is recorded.
func TestCeilingOverCrashes(t *testing.T) {
	t.Parallel()
	for after := time.Duration(0); after < 200*time.Millisecond; after += 17 * time.Millisecond {
		if !effort.Some(after.String()) {
			continue
		}
		t.Run(after.String(), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{
				Routes: []bot.Route{on("other", func(_ context.Context, t *bot.Turn) error { return t.Reply("another route") }), echo().Ordered(1)},
				Bot:    bot.Config{PollInterval: 100 * time.Millisecond, Ceiling: bot.Ceiling{Max: 3, Within: 4 * time.Minute}},
			}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("a", "other")
				w.Advance(after)
				w.Crash()
				ana.Says("b", "c")
				w.Advance(after)
				w.Crash()
				ana.Says("d")
				ana.Expects("a", "another route", "b")
				ana.ExpectsNothing(2 * time.Minute)
				w.Advance(3 * time.Minute)
				ana.Says("e")
				ana.Expects("e")
			})
		})
	}
}

// A ceiling can be lifted.
func TestNoCeiling(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Bot: bot.Config{Ceiling: bot.Ceiling{Max: -1}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		for i := range 30 {
			text := fmt.Sprint("message ", i)
			ana.Says(text)
			ana.Expects(text)
		}
	})
}

// The accounts of a bot do not answer each other, also after a restart; what one of them wrote is
// decided and recorded all the same.
func TestAccountsOfOneBot(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Accounts: []event.Account{"one", "two"}, Routes: []bot.Route{
		on("greet", func(_ context.Context, t *bot.Turn) error { return t.Reply("hello") }), echo().Ordered(1),
		bot.On("follow", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error { t.Follow(); return nil }),
	}}, func(w *bottest.World) {
		one, two := w.Account("one"), w.Account("two")
		w.Platform().SayAs(two.ID(), one.ID(), "greet")
		w.Platform().Follow(two.ID(), one.ID())
		w.Advance(time.Minute)
		w.Restart()
		w.Platform().SayAs(one.ID(), two.ID(), "greet")
		w.Advance(time.Hour)
		if n := said(w, one.ID(), two.ID()) + said(w, two.ID(), one.ID()) + entries(w, emulator.Followed); n != 0 {
			t.Errorf("they did %d things to each other", n)
		}
		if decisions := w.Decisions(one.Person("two")); len(decisions) < 2 || decisions[1].Outcome != bot.OutcomeOurselves || decisions[0].Outcome != bot.OutcomeOurselves {
			t.Errorf("the traces are %v", decisions)
		}
		ana := two.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
	})
}
