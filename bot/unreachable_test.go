package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// A refusal ends the action, and the peer is left alone until they write themselves.
func TestPeerWhoRefusesMessages(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		echo(),
		bot.On("thank", bot.AnyLike(), func(_ context.Context, t *bot.Turn, _ event.Like) error { return t.Message("thank you") }),
	}}, func(w *bottest.World) {
		post, other := w.Posts("menu"), w.Posts("party")
		ana := w.Person("ana")
		w.Platform().SetPrivacy(ana.ID(), false, true)
		sends := func() int64 { return w.Platform().Calls("send_message") }

		w.Platform().Like(ana.ID(), post)
		ana.ExpectsNothing(time.Hour)
		if n := sends(); n != 1 {
			t.Fatalf("%d messages were tried, want 1", n)
		}
		w.Restart()
		w.Platform().Like(ana.ID(), other)
		ana.ExpectsNothing(time.Hour)
		if n := sends(); n != 1 {
			t.Fatalf("after a refusal %d messages were tried, want still 1", n)
		}
		w.Platform().SetPrivacy(ana.ID(), false, false)
		ana.Says("hi")
		ana.Expects("hi")
	})
}
