package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
)

// A rule that has stopped itself is shown by whatever shows what is paused. Who resumes everything lets go on all that was paused, rules, too, and is told what stays; by
// its name such a rule goes on.
func TestResumeOfWhatStoppedItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules := strings.Replace(pausable, "    reply_after: 1m..1m\n", "    if_too_many: { more_than: 1 in 1h, then: pause_and_notify, who: team }\n", 1)
	for name, content := range map[string]string{"10-a.yaml": rules, "settings.yaml": "version: 1\nwho: { team: {} }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answering(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("what is the price?")
		ana.Expects("It is 12.")
		ana.Says("the price again?")
		ana.ExpectsNothing(time.Minute)
		prints(t, w, "pause", 0, "prices", "itself")
		prints(t, w, "pause --json", 0, `"by_itself":true`)
		prints(t, w, "pause hours", 0, "the rule hours is paused")
		const stopped = "stopped by itself, since it fired too often: prices ("
		prints(t, w, "summary", 0, stopped, "paused: hours")
		prints(t, w, "resume --all", 0, "the rule hours goes on", "still "+stopped, "nectar resume prices lets it go on")
		ana.Says("are you open?")
		ana.Expects("Until six.")
		prints(t, w, "resume prices", 0, "prices goes on")
		prints(t, w, "pause", 0, "nothing is paused")
		ana.Says("and the price?")
		ana.Expects("It is 12.")
		// What was to be paused once a bot runs is not, either.
		w.Stop()
		prints(t, w, "pause hours --wait 0s", 0)
		prints(t, w, "pause --all --wait 0s", 0)
		prints(t, w, "resume --all --wait 0s", 0)
		w.Start()
		w.Advance(time.Minute)
		prints(t, w, "pause", 0, "nothing is paused")
		// Both: by a person, and by itself.
		ana.Says("price?")
		ana.ExpectsNothing(time.Minute)
		prints(t, w, "pause prices", 0, "the rule prices is paused")
		prints(t, w, "resume prices", 0, "prices goes on", "the rule prices goes on")
		prints(t, w, "pause", 0, "nothing is paused")
	})
}
