package rules_test

import (
	"strings"
	"testing"
	"time"
)

// A condition of the calendar goes by the day on the wall of the file, in rules and in steps.
func TestCalendar(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		if_, on string
		want    bool
	}{
		{"day: Mon", "2027-03-01 10:00", true},
		{"day: [Mon, Tue]", "2027-03-02 23:59", true},
		{"day: [Mon, Tue]", "2027-03-03 00:00", false},
		{"day: Fri-Mon", "2027-03-07 10:00", true},
		{"day: Fri-Mon", "2027-03-04 10:00", false},
		{"date: 2027-08-01..2027-08-31", "2027-08-01 00:00", true}, // in Lisbon, an hour after July is over in UTC
		{"date: 2027-08-01..2027-08-31", "2027-08-31 23:59", true},
		{"date: 2027-08-01..2027-08-31", "2027-09-01 00:00", false},
		{"date: 2027-08-01..2027-08-31", "2028-08-10 10:00", false},
		{"date: 2027-12-25", "2027-12-25 10:00", true},
		{"date: 12-24..01-06", "2027-12-24 10:00", true},
		{"date: 12-24..01-06", "2031-01-06 10:00", true},
		{"date: 12-24..01-06", "2027-01-07 10:00", false},
		{"date: 12-24..01-06", "2027-12-23 10:00", false},
		{"date: [2027-03-02, 02-29, 05-01..05-03]", "2028-02-29 10:00", true},
		{"date: [2027-03-02, 02-29, 05-01..05-03]", "2028-03-01 10:00", false},
		{"date: [2027-03-02, 02-29, 05-01..05-03]", "2030-05-02 10:00", true},
		{"day: Sat, date: 2027-08-01..2027-08-31", "2027-08-07 10:00", true},
		{"day: Sat, date: 2027-08-01..2027-08-31", "2027-08-08 10:00", false},
	} {
		for what, file := range map[string]string{
			"a rule": "rules:\n" + rule("a", "    when: message\n    if: { IF }\n    then: [{ reply: it holds }]\n"+per),
			"a step": "conversations:\n  - id: a\n    start: { when: message }\n    limits: { per_person: 1 per 12h }\n    if_silent: [{ after: 1d, goto: no }]\n    steps:\n" +
				"      - { id: one, say: Hello., next: [{ if: { IF }, goto: yes }, { goto: no }] }\n      - { id: yes, say: it holds, end: done }\n      - { id: no, say: It does not., end: done }\n",
		} {
			s := play(t, strings.NewReplacer("IF", row.if_, "yes", "holds", "no,", "other,", "no }", "other }").Replace(file))
			zone, err := time.LoadLocation("Europe/Lisbon")
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.ParseInLocation("2006-01-02 15:04", row.on, zone)
			if err != nil {
				t.Fatal(err)
			}
			s.Outage(at.Sub(s.Now()))
			scenes, err := s.Writes(s.Guest("ana"), "hi")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(heard(scenes), "it holds"); got != row.want {
				t.Errorf("%s, on %s, in %s: %t", row.if_, row.on, what, got)
			}
		}
	}
}

// An answer that is called day or date stays one in a step: folders have such names.
func TestAnswersCalledLikeTheCalendar(t *testing.T) {
	t.Parallel()
	s := play(t, "conversations:\n  - id: a\n    start: { when: message }\n    limits: { per_person: 9 per 12h }\n    if_silent: [{ after: 1d, goto: other }]\n    steps:\n"+
		"      - { id: one, ask: Which?, expect: { choices: { Mon: [monday], Tue: [tuesday] } }, save_as: day, next: [{ if: { day: Mon }, goto: mon }, { goto: other }] }\n"+
		"      - { id: mon, say: So on Monday., end: done }\n      - { id: other, say: Another day., end: done }\n")
	s.says("hi", "message Which?") // on a Tuesday
	s.says("monday", "message So on Monday.")
	s.says("hi", "message Which?")
	s.says("tuesday", "message Another day.")
}

// We are closed on ranges of days, too, this year's and each year's.
func TestClosedOnRanges(t *testing.T) {
	t.Parallel()
	s := play(t, "hours: { open: [Mon-Fri 09:00-18:30], closed_on: [2027-03-02..2027-03-05, 03-08] }\nrules:\n"+
		rule("closed", "    when: message\n    if: { hours: closed }\n    then: [{ reply: \"We are back {{next_open}}.\" }]\n    limits: { per_person: 9 per 1h }\n"))
	s.says("hi", "message We are back on 9 March at 9:00.")
	s.waits(6*24*time.Hour, "")
	s.says("hi", "message We are back tomorrow at 9:00.")
	s.waits(24*time.Hour, "")
	s.says("hi", "unmatched")
}
