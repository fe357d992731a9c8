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
		prints(t, w, "summary", 0, "seen: ", "messages of ", "done: ", "messages done", "who waits for you: 2", "has the conversation, and has not written since",
			"@zoe", "the rule not-understood leaves it to one of you", "not answered: 2 held back, 1 on the list unanswered", "are you open?")
		prints(t, w, "summary --json", 0, `"account":"bot"`, `"waiting":2`, `"outcome":"held back"`)
		w.Account("bot").Tells(w.Person("zoe"), "Hi Zoe, this is Sam.")
		w.Advance(time.Minute)
		prints(t, w, "summary --since 1m", 0, "who waits for you: 1", "@ana")
		prints(t, w, "conversations later @ana 2h --wait 0s", 0, "asked for")
		w.Advance(time.Minute)
		prints(t, w, "conversations waiting", 0, "who waits for you: 0")
		w.Advance(2 * time.Hour)
		prints(t, w, "conversations waiting", 0, "who waits for you: 1", "@ana")
		prints(t, w, "conversations waiting --json", 0, `"code":"rule.calls?rule=not-understood"`)
		prints(t, w, "conversations done @ana --wait 0s --as sam", 0, "asked for")
		w.Advance(time.Minute)
		prints(t, w, "summary --since 1m", 0, "who waits for you: 0", "not answered: nothing")
		prints(t, w, "conversations done", 2, "name one person")
		prints(t, w, "conversations later @ana", 2, "name one person and a time")
		prints(t, w, "conversations later @ana soon", 2, "want a time")
		prints(t, w, "notices ack 12", 1, `there is no notice "12"; nectar notices lists them with their numbers`)
	})
}
