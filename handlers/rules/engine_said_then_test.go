package rules_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

// A day is read by when it was said, not by when it is read. Where that is not known, and would make it another one, it is asked for again.
func TestDaysAreReadByWhenTheyWereSaid(t *testing.T) {
	t.Parallel()
	const again = "message Which day?"
	tests := []struct {
		name   string
		merge  string
		first  []string // what was said before it, in a row
		seen   time.Duration
		before time.Duration // seen: the poll before it
		read   time.Duration // seen: when it is read
		said   string
		want   string
	}{
		{"at once", "", nil, 13 * time.Hour, time.Minute, 0, "tomorrow", "message Noted: Wednesday 3 March."},
		{"read the day after", "", nil, 13 * time.Hour, time.Minute, 3 * time.Hour, "tomorrow", "message Noted: Wednesday 3 March."},
		{"said before midnight or after it", "", nil, 15 * time.Hour, 3 * time.Hour, 0, "tomorrow", again},
		{"a weekday that may have been today", "", nil, 15 * time.Hour, 3 * time.Hour, 0, "on Wednesday", again},
		{"the same day whenever it was said", "", nil, 15 * time.Hour, 3 * time.Hour, 0, "14 June", "message Noted: Monday 14 June."},
		{"nobody knows how early", "", nil, 15 * time.Hour, 0, 0, "tomorrow", "message Noted: Thursday 4 March."},
		{"in a row that is answered after midnight", "    merge_messages: 20m\n", nil, 13*time.Hour + 50*time.Minute, time.Minute, 0, "tomorrow", "message Noted: Wednesday 3 March."},
		{"in a row that goes on after midnight", "    merge_messages: 20m\n", []string{"hello"}, 14*time.Hour + time.Minute, 2 * time.Minute, 0, "tomorrow", again},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, `conversations:
  - id: table
    start: { when: message, if: { text: { any_word: table } } }
    limits: { per_person: 1 per 1d }
`+test.merge+`    if_silent: [{ after: 24h, goto: noted }]
    steps:
      - id: day
        ask: "Which day?"
        expect: date
        save_as: day
        next: noted
      - id: noted
        say: "Noted: {{day|not given}}."
        end: noted
`)
			s.says("a table", "message Which day?")
			seen := tuesday.Add(test.seen)
			var scenes []rehearse.Scene
			for i, said := range append(test.first, test.said) {
				e := event.Event{
					Account: "rehearsal", ID: event.ID{Source: event.Messages, Number: int64(100 + i)}, Kind: event.KindMessage, Peer: s.Guest("ana").State.Peer,
					Text: said, SeenAt: seen.Add(time.Duration(i-len(test.first)) * 2 * time.Minute),
				}
				if test.before > 0 {
					e.NotBefore = e.SeenAt.Add(-test.before)
				}
				if _, err := s.Until(e.SeenAt.Add(test.read)); err != nil {
					t.Fatal(err)
				}
				more, err := s.Event(e)
				if err != nil {
					t.Fatal(err)
				}
				scenes = append(scenes, more...)
			}
			more, err := s.Quiesce()
			s.expect(test.want, append(scenes, more...), err)
		})
	}
}
