package autoresponder_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
)

// A mention that a person of ours has answered below it, by hand, waits for nobody: neither is the team told, nor does a rule on silence answer.
func TestMentionAnsweredByHandIsNoSilence(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", `version: 1
name: test
status: live
rules:
  - id: waits
    when: no_match
    then: [{ notify: { who: team, if_waiting: 30m } }]
    limits: { per_person: 99 per 1h }
  - id: sorry
    when: silence
    after: 1h
    then: [{ reply: "Sorry that nobody has answered yet." }]
    limits: { per_person: 99 per 1h }
`, "settings.yaml", "version: 1\nwho: { team: {} }\n")
	run(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		asked := ana.Mentions("@bot do you have a garden?")
		w.Advance(5 * time.Minute)
		w.Platform().Reply(w.Account("bot").ID(), asked, "Yes, we have!")
		w.Advance(40 * time.Minute)
		if strings.Contains(w.Log(), "msg=notice") {
			t.Errorf("the team is told that she waits\n%s", w.Log())
		}
		ana.ExpectsNothing(2 * time.Hour)
	})
}
