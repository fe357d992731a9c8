package bot_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What was published since a copy is not published again, and counts for the limit.
func TestPostsSinceACopy(t *testing.T) {
	t.Parallel()
	limit := &bot.Publishing{Most: 1, Within: 2 * time.Hour}
	pressed(t, limit, nil, func(w *bottest.World, says func(texts ...string)) {
		says("a one in 10m0s")
		w.Stop()
		copied := w.Backup()
		w.Start()
		w.Advance(30 * time.Minute)
		w.Stop()
		w.PutBack(copied, true)
		w.Start()
		w.Advance(10 * time.Minute)
		published := func() (texts []string) {
			for _, e := range w.Platform().Ledger().Since(0) {
				if e.Kind == emulator.Published {
					texts = append(texts, e.Text)
				}
			}
			return texts
		}
		if got := published(); len(got) != 1 {
			t.Errorf("%q was published; a: %s\n%s", got, became(w, "a"), w.Log())
		}
	})
}

// A post of the owner's, or of the bot's that the copy does not know, counts for the limit.
func TestLimitAfterACopy(t *testing.T) {
	t.Parallel()
	limit := &bot.Publishing{Apart: 2 * time.Hour}
	pressed(t, limit, nil, func(w *bottest.World, says func(texts ...string)) {
		w.Stop()
		copied := w.Backup()
		w.Start()
		says("a one")
		w.Advance(30 * time.Minute)
		w.Stop()
		w.PutBack(copied, true)
		w.Start()
		says("b two")
		w.Advance(time.Hour)
		if n := w.Platform().Calls("publish_post"); n != 1 {
			t.Errorf("%d posts; b: %s\n%s", n, became(w, "b"), w.Log())
		}
		w.Advance(time.Hour)
		if n := w.Platform().Calls("publish_post"); n != 2 {
			t.Errorf("%d posts two hours later; b: %s", n, became(w, "b"))
		}
	})
}
