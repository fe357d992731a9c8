package autoresponder_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// While a conversation is paused nobody is reminded in it; silence counts anew afterwards.
func TestSilenceCountsAnewAfterAPause(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", tableFile, "settings.yaml", "version: 1\ntimezone: Europe/Lisbon\n")
	runHours(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		ana.Says("a table please")
		ana.Expects("Which day?")
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishPause, Action: "table"})
		w.Advance(6*time.Hour + 45*time.Minute)
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishGoOn, Action: "table"})
		ana.ExpectsNothing(2*time.Hour + 50*time.Minute)
	})
}
