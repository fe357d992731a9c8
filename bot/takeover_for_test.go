package bot_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// Who has taken a conversation over for a while, and still writes there, is not answered over when the while ends.
func TestOwnersWordsOutlastATakeOver(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Bot: rarely(), Routes: []bot.Route{echo()}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		w.Ask(event.Request{
			Key: event.Key{Account: "bot", Peer: ana.ID()}, Wish: event.WishTakeOver, Owner: "ines", Until: time.Now().Add(2 * time.Hour),
		})
		w.Advance(2*time.Hour - 2*time.Minute)
		w.Account("bot").Tells(ana, "One moment, I ask the kitchen.")
		w.Advance(5 * time.Minute)
		ana.Says("thank you, Ines")
		ana.ExpectsNothing(time.Hour) // she wrote five minutes ago
	})
}
