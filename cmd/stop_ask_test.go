package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// Whoever asks for silence is not answered by what was prepared before: it is refused, with what waits beside it.
func TestStopRefusesWhatWaits(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*bottest.World){"running": func(*bottest.World) {}, "crash": (*bottest.World).Crash} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "10-a.yaml"), []byte("version: 1\nname: test\nstatus: ask\nrules:\n  - id: prices\n    when: message\n"+
				"    if: [text: { any_word: [price] }]\n    then: [{ reply: \"It is 12.\" }, { label: asked-price }]\n    limits: { per_person: 9 per 1h }\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte("version: 1\nstop_words: [stop]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			answering(t, dir, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("what is the price?")
				advancesWhile(t, w, func() bool { return !strings.Contains(beside(t, w, "outbox").stdout, "It is 12.") })
				ana.Says("stop")
				w.Advance(time.Minute)
				meanwhile(w)
				beside(t, w, "outbox", "approve", "--all") // of what tells her that she is left alone, too
				w.Advance(time.Minute)
				for _, x := range actionsOf(t, w, ana) {
					if x.Text == "It is 12." && x.State != event.StateWithdrawn {
						t.Errorf("it is %s", x.State)
					}
				}
				prints(t, w, "outbox --peer @ana", 0, "withdrawn", "the person wants to be left alone")
				prints(t, w, "events", 0, "refused")
				if c := w.Conversation(ana); len(c.Labels) > 0 {
					t.Errorf("the conversation has the labels %q", c.Labels)
				}
			})
		})
	}
}
