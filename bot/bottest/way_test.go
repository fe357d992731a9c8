package bottest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// One message is read, routed, answered, and known to have arrived. TestWays of cmd runs this test once more without the message
// (NECTAR_TEST_WAY=without): what is left is the way of one event.
func TestWayOfAnEvent(t *testing.T) {
	echo := bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Reply("You wrote: " + m.Text) })
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo}}, func(w *bottest.World) {
		ana := w.Person("ana")
		if os.Getenv("NECTAR_TEST_WAY") != "without" {
			ana.Says("good morning")
			ana.Expects("You wrote: good morning")
		}
		w.Advance(time.Hour)
	})
}
