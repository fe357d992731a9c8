package rules_test

import (
	"cmp"
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

// A step that wants a time at which we are at work goes by the day that was answered last, and else by all days.
func TestOpenTimes(t *testing.T) {
	t.Parallel()
	const file = "hours: { open: [Mon-Fri 09:00-18:30, \"Sat 22:00-02:00\"], closed_on: [2027-03-08] }\nconversations:\n  - id: book\n    start: { when: message, if: { text: { any_word: book } } }\n" +
		"    limits: { per_person: 99 per 1d }\n    if_silent: [{ after: 1d, goto: done }]\n    steps:\n" +
		"      - { id: day, ask: Which day?, expect: date, save_as: day, next: time }\n" +
		"      - { id: time, ask: What time?, expect: time, open: true, save_as: time, if_wrong: { say: We are closed then., times: 99 }, next: done }\n" +
		"      - { id: done, say: \"Booked {{day|some day}}, {{time|some time}}.\", end: booked }\n"
	for _, row := range []struct{ day, time, want string }{
		{"tomorrow", "9am", "Booked Wednesday 3 March, 9:00."},
		{"tomorrow", "18:29", "Booked Wednesday 3 March, 18:29."},
		{"tomorrow", "18:30", ""},
		{"tomorrow", "at 23:00", ""}, // on Saturdays only
		{"2027-03-06", "23:00", "Booked Saturday 6 March, 23:00."},
		{"2027-03-06", "10:00", ""},
		{"2027-03-06", "1:30", ""}, // that is the night before
		{"2027-03-07", "1:30", "Booked Sunday 7 March, 1:30."},
		{"2027-03-08", "10:00", ""}, // closed_on
		{"2027-03-15", "10:00", "Booked Monday 15 March, 10:00."},
	} {
		s := play(t, file)
		s.says("book", "message Which day?")
		s.says(row.day, "message What time?")
		s.says(row.time, "message "+cmp.Or(row.want, "We are closed then."))
	}

	s := play(t, strings.NewReplacer("expect: date, save_as: day", "expect: date", "{{day|some day}}, ", "").Replace(file)) // the day is kept nowhere
	s.says("book", "message Which day?")
	s.says("tomorrow", "message What time?")
	s.says("20:00", "message We are closed then.")
	s.says("2:00", "message We are closed then.")
	s.says("1:59", "message Booked 1:59.")

	s = play(t, strings.NewReplacer("expect: time", "expect: time, private: true").Replace(file))
	if said, ok := rehearse.StandIn(s.of, "book", "time", true, tuesday); !ok || said != "09:00" {
		t.Errorf("stands in %q, %t", said, ok)
	}
}
