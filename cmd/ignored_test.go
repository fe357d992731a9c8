package cmd

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
)

// What rules ignore is found by how it ended, and counted in the summary; nobody is called, and it is on no list.
func TestIgnoredIsCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"10-a.yaml": "version: 1\nname: test\nstatus: live\nrules:\n  - id: polite\n    when: message\n    if: { text: { only: [ok, thanks, emoji] } }\n    then: [ignore]\n" +
			"  - id: otherwise\n    when: no_match\n    then: [{ list: unanswered }, { notify: { who: team } }]\n",
		"settings.yaml": "version: 1\nwho: { team: {} }\nstop_words: [stop, unsubscribe]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answering(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("ok, thanks! 👍")
		ana.ExpectsNothing(time.Minute)
		prints(t, w, "events --outcome ignored", 0, "@ana", "polite")
		prints(t, w, "summary", 0, "not answered: nothing (besides 1 that rules ignore)", "you were called: 0 times", "who waits for you: 0")
		prints(t, w, "summary --json", 0, `"ignored":1`)
		prints(t, w, "why @ana", 0, "Nothing was said: it is ignored by the rule polite")
		prints(t, w, "lists unanswered", 0, `nothing stands on "unanswered"`)
		ana.Says("ok, but when?")
		ana.ExpectsNothing(time.Minute)
		prints(t, w, "summary", 0, `"ok, but when?"  on the list unanswered`, "you were called: 1 time")
	})
}
