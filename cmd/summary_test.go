package cmd

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// A summary says what was done, who waits, and what was not answered.
func TestSummary(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		prints(t, w, "summary", 0, "seen: nothing", "done: nothing", "who waits for you: 0", "not answered: nothing")
		aDay(w)
		prints(t, w, "summary", 0, "seen: ", "messages of ", "done: ", "messages done", "who waits for you: 1", "has the conversation, and has not written since",
			"@zoe", "not answered: ", "held back", "are you open?")
		prints(t, w, "summary --json", 0, `"account":"bot"`, `"waiting":1`, `"outcome":"held back"`)
		w.Account("bot").Tells(w.Person("zoe"), "Hi Zoe, this is Sam.")
		w.Advance(time.Minute)
		prints(t, w, "summary --since 1m", 0, "who waits for you: 0")
	})
}
