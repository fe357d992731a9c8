package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

const heldFile = `version: 1
name: test
status: live
defaults: { merge_messages: 30s, limits: { per_person: 1 per 12h } }
rules:
  - id: hours
    when: message
    if: { text: { any_word: hours } }
    then: [{ reply: "From nine to six." }]
  - id: price
    when: message
    if: { text: { any_word: price } }
    then: [{ reply: "Twelve." }]
  - id: soon
    when: silence
    after: 30m
    then: [{ notify: { who: team, text: nobody answers } }]
  - id: unheard
    when: held_back
    then:
      - list: unanswered
      - notify: { who: team }
`

// Why says which text of a burst led to which rule, and who took what was held back.
func TestWhyBurstAndHeldBack(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := t.TempDir()
	for name, content := range map[string]string{"10-a.yaml": heldFile, "settings.yaml": "version: 1\nwho: { team: {} }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answering(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello", "your hours?", "and the price?")
		ana.Expects("From nine to six.\n\nTwelve.")
		ana.Says("the price, please")
		ana.ExpectsNothing(time.Hour)
		golden(t, "why_held.txt", whys(t, w, idOf(t, w, "and the price?"), idOf(t, w, "the price, please"), timerOf(t, w, "/answer/"), timerOf(t, w, "/soon/")))
	})
}

// timerOf returns the id of the last turn of a timer whose id has a part.
func timerOf(t *testing.T, w *bottest.World, part string) (id string) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		err := d.Recorded(context.Background(), "bot", time.Time{}, func(r record.Recorded) error {
			if r.Turn != nil && strings.Contains(r.Turn.ID, part) {
				id = r.Turn.ID
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return id
}
