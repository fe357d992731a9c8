package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// A route that looks on sees what happens in a conversation that a person has. It may keep books; one that would
// answer fails, and nothing of its turn happens.
func TestLookingOn(t *testing.T) {
	t.Parallel()
	wanted := true
	books := bot.On("books", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		t.Label(m.Text)
		if m.Text == "answer" {
			return t.Reply("here I am")
		}
		return nil
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		echo(),
		engine.Route(books.Ordered(1), engine.Ways{LooksOn: func(_ event.Account, k event.Kind) bool { return wanted && k == event.KindMessage }}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		w.Platform().SayAs(w.Account("bot").ID(), ana.ID(), "I take this one")
		w.Advance(time.Minute)
		ana.Says("noted", "answer")
		w.Advance(5 * time.Minute)
		wanted = false
		ana.Says("unseen")
		ana.ExpectsNothing(time.Hour)
		if got := w.Conversation(ana).Labels; len(got) != 1 || got[0] != "noted" {
			t.Errorf("labels %q", got)
		}
	})
}
