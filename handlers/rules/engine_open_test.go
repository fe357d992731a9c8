package rules_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// A step that wants a day on which we are at work refuses others, and says so.
func TestOpenDays(t *testing.T) {
	t.Parallel()
	const hours = "hours: { open: [Mon-Fri 09:00-18:30, \"Sat 22:00-02:00\"], closed_on: [2027-03-08] }\n"
	const file = "conversations:\n  - id: book\n    start: { when: message, if: { text: { any_word: book } } }\n    limits: { per_person: 99 per 1d }\n" +
		"    if_silent: [{ after: 1d, goto: done }]\n    steps:\n      - id: day\n        ask: Which day?\n        expect: date\n        open: true\n        save_as: day\n" +
		"        if_wrong: { say: We are closed then., times: 9 }\n        next: done\n      - { id: done, say: \"Booked {{day|nothing}}.\", end: booked }\n"
	s := play(t, hours+file)
	s.says("book", "message Which day?")
	s.says("2027-03-07", "message We are closed then.")  // a Sunday
	s.says("next Monday", "message We are closed then.") // closed_on
	s.says("tomorrow", "message Booked Wednesday 3 March.")
	s.says("book", "message Which day?")
	s.says("2027-03-06", "message Booked Saturday 6 March.") // late
	s = play(t, hours+strings.Replace(file, "        open: true\n", "", 1))
	s.says("book", "message Which day?")
	s.says("2027-03-07", "message Booked Sunday 7 March.")

	v := play(t, hours+file).of
	if said, ok := rehearse.StandIn(v, "book", "day", true, tuesday.AddDate(0, 0, 12)); !ok || said != "2027-04-14" {
		t.Errorf("stands in %q, %t", said, ok)
	}
}
