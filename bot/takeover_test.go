package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// The bot is silent where a person of ours wrote, wherever it was typed, and speaks again later.
func TestPersonTakesOver(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{
		bot.On("later", saying("later"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Message("here I am", bot.In(30*time.Minute))
		}),
		bot.On("timer", saying("timer"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			t.After(2*time.Hour, "nag")
			return nil
		}),
		bot.On("nag", bot.Timer("nag"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("still there?") }),
		echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		account := w.Account("bot").ID()
		ana.Says("hi", "later", "timer")
		ana.Expects("hi")
		w.Platform().SayAs(account, ana.ID(), "this is Mia, I take this one")
		w.Advance(time.Minute)
		w.Restart()
		ana.Says("thank you, Mia")
		leo.Says("hello")
		leo.Expects("hello")
		ana.ExpectsNothing(11 * time.Hour) // neither an answer, nor what was to come later, nor the timer
		w.Platform().SayAs(account, ana.ID(), "one more thing")
		w.Advance(time.Minute)
		ana.ExpectsNothing(11 * time.Hour) // the silence counts from the person's last message
		w.Advance(2 * time.Hour)
		ana.Hears()
		ana.Says("are you there?")
		ana.Expects("are you there?")
	})
}

// The bot's own messages are never taken for a person's: not those of an earlier incarnation, not those whose
// answer was lost.
func TestBotDoesNotTakeOverFromItself(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		for _, disturb := range []func(){
			func() {}, w.Restart, w.Crash,
			func() { w.Disturb("send_message", emulator.CutAfter) },
			func() { w.Disturb("send_message", emulator.CutAfter); w.Advance(time.Second); w.Crash() },
		} {
			disturb()
			ana.Says("one", "two")
			ana.Expects("one", "two")
			w.Advance(5 * time.Minute)
		}
		if c := w.Conversation(ana); c.Owner != "" {
			t.Errorf("the conversation belongs to %q\n%s", c.Owner, w.Log())
		}
	})
}
