package autoresponder_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
)

// "Tomorrow" is the day after it was said: when the bot was down over midnight nobody knows which one, and it asks again.
func TestTomorrowWhileDown(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", `version: 1
name: test
status: live
conversations:
  - id: table
    start: { when: message, if: { text: { any_word: table } } }
    limits: { per_person: 1 per 1d }
    if_silent: [{ after: 24h, goto: noted }]
    steps:
      - id: day
        ask: "Which day?"
        expect: date
        save_as: day
        next: noted
      - id: noted
        say: "Noted: {{day|not given}}."
        end: noted
`, "settings.yaml", "version: 1\ntimezone: Europe/Lisbon\n")
	run(t, dir, tuesday.Add(12*time.Hour), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a table please")
		ana.Expects("Which day?")
		w.Stop()
		w.Advance(time.Hour)
		ana.Says("tomorrow") // Tuesday, 23:00
		w.Advance(3 * time.Hour)
		w.Start()
		ana.Expects("Which day?") // Wednesday or Thursday: nobody knows
	})
}
