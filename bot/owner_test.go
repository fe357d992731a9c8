package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// Who was promised a person hears nothing from the bot, nor from its timers.
func TestHandoff(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{
		on("human", func(_ context.Context, t *bot.Turn) error {
			t.Handoff("ines")
			t.After(30*time.Minute, "reminder")
			return t.Reply("one moment")
		}),
		bot.On("reminder", bot.Timer("reminder"), says[event.Timer]("still there?")),
		on("anybody", func(_ context.Context, t *bot.Turn) error { t.Handoff(""); return nil }),
		on("changed my mind", func(_ context.Context, t *bot.Turn) error {
			t.Handoff("ines")
			t.TakeBack()
			return t.Reply("at your service")
		}),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("changed my mind", "human")
		ana.Expects("at your service", "one moment")
		ana.Says("are you there?")
		ana.ExpectsNothing(time.Hour)
		w.Crash()
		ana.Says("hello?")
		leo.Says("hi")
		leo.Expects("hi")
		ana.ExpectsNothing(13 * time.Hour)
		if c := w.Conversation(ana); c.Owner != "ines" || c.OwnerSince.IsZero() {
			t.Errorf("the owner is %q since %v", c.Owner, c.OwnerSince)
		}
		if got := w.Decisions(ana)[2]; got.Outcome != bot.OutcomeOwned {
			t.Errorf("the trace is %v", got)
		}
		leo.Says("anybody")
		w.Advance(time.Minute)
		if c := w.Conversation(leo); c.Owner == "" {
			t.Error("nobody owns the conversation")
		}
	})
}

// When a person of ours writes, wherever that is, the bot falls silent, takes back what it had not sent,
// and comes back by itself.
func TestTakeover(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*bottest.World){
		"running": func(*bottest.World) {}, "restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash,
	} {
		if effort.Few() && name != "crash" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				on("later", func(_ context.Context, t *bot.Turn) error { return t.Reply("here it is", bot.In(time.Hour)) }),
				echo().Ordered(1),
			}, Bot: bot.Config{PollInterval: 30 * time.Second, RequestPause: time.Minute, TakeoverFor: 6 * time.Hour}}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("hi", "later")
				ana.Expects("hi")
				w.Advance(time.Minute)
				w.Account("bot").Tells(ana, "Hello Ana, it is me, Ines")
				w.Advance(time.Minute)
				meanwhile(w)
				ana.Says("how nice")
				leo.Says("hi")
				leo.Expects("hi")
				ana.ExpectsNothing(3 * time.Hour)
				if c := w.Conversation(ana); c.Owner != bot.OwnedByPerson {
					t.Errorf("the owner is %q", c.Owner)
				}
				meanwhile(w)
				ana.ExpectsNothing(4 * time.Hour)
				ana.Says("and now?")
				ana.Expects("and now?")
				ana.ExpectsNothing(time.Hour)
			})
		})
	}
}

// The bot's own words are not taken for those of a person, whatever becomes of its requests.
func TestOwnWordsAreNoTakeover(t *testing.T) {
	t.Parallel()
	for after := time.Duration(0); after < 400*time.Millisecond; after += 40 * time.Millisecond {
		t.Run(after.String(), func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Bot: bot.Config{PollInterval: 100 * time.Millisecond}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("a", "b")
				w.Advance(after)
				w.Crash()
				ana.Says("c")
				ana.Expects("a", "b", "c")
				w.Advance(time.Minute)
				ana.Says("d")
				ana.Expects("d")
				if c := w.Conversation(ana); c.Owner != "" {
					t.Errorf("the conversation belongs to %q", c.Owner)
				}
			})
		})
	}
}

// A conversation that was handed over for a while comes back by itself, also after a restart.
func TestHandoffForAWhile(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("human", func(_ context.Context, t *bot.Turn) error {
			t.HandoffFor("ines", time.Hour)
			return t.Reply("one moment")
		}),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("human")
		ana.Expects("one moment")
		ana.Says("hello?")
		ana.ExpectsNothing(50 * time.Minute)
		w.Restart()
		w.Advance(15 * time.Minute)
		ana.Says("anybody there?")
		ana.Expects("anybody there?")
	})
}
