package rules_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// Beside a handoff teams are called one after another, each counted from what the person wrote, until one of ours has written. They are as urgent as
// the handoff.
func TestChainBesideAHandoff(t *testing.T) {
	t.Parallel()
	file := "rules:\n" + rule("human", "    when: message\n    then:\n      - handoff: { to: sales, say_open: A moment. }\n"+
		"      - notify: { who: team, if_waiting: 30m }\n      - notify: { who: sales, if_waiting: 2h }\n"+per)
	s := play(t, file)
	s.says("a human", "message A moment.; tell sales: message from @ana: a human")
	scenes, err := pass(s.Rehearsal, 31*time.Minute)
	s.expect("tell team: message from @ana: a human", scenes, err)
	for _, n := range notices(scenes) {
		if n.As != "handoff" || len(n.Told) != 1 {
			t.Errorf("%+v", n)
		}
	}
	s.says("anybody?", "owned")
	s.waits(90*time.Minute, "tell sales: message from @ana: a human")
	s.waits(12*time.Hour, "")

	s = play(t, file)
	s.says("a human", "message A moment.; tell sales: message from @ana: a human")
	s.waits(31*time.Minute, "tell team: message from @ana: a human")
	takeOver(s.Rehearsal, s.Guest("ana"))
	s.waits(12*time.Hour, "left alone")
}

// So it is in the steps of a conversation: each step calls its own teams.
func TestChainInSteps(t *testing.T) {
	t.Parallel()
	s := play(t, `conversations:
  - id: booking
    start: { when: message, if: { text: { any_word: book } } }
    limits: { per_person: 1 per 1d }
    if_silent: [{ after: 24h, goto: person }]
    steps:
      - id: day
        ask: Which day?
        then: [{ notify: { who: team, if_waiting: 30m } }]
        expect: date
        next: person
      - id: person
        then: [{ notify: { who: sales, if_waiting: 10m, urgent: true } }]
        handoff: { to: sales, note: look, say_open: Somebody will answer. }
        end: handed-over
`)
	s.says("book", "message Which day?")
	s.waits(5*time.Minute, "")
	s.says("tomorrow", "message Somebody will answer.; tell sales: look")
	scenes, err := pass(s.Rehearsal, 11*time.Minute)
	s.expect("tell sales: message from @ana: tomorrow", scenes, err)
	if n := notices(scenes); len(n) == 1 && (!n[0].Urgent || n[0].As != "handoff") {
		t.Errorf("%+v", n)
	}
	s.waits(20*time.Minute, "tell team: message from @ana: book")
}

// One call can be urgent, whatever its kind, also when it waits for an approval.
func TestUrgentCall(t *testing.T) {
	t.Parallel()
	file := "rules:\n" + rule("bleeding", "    when: message\n    then: [{ notify: { who: team, urgent: true, text: look } }]\n"+per)
	s := play(t, file)
	scenes, err := s.Writes(s.Guest("ana"), "it bleeds")
	s.expect("tell team: look", scenes, err)
	if n := notices(scenes); len(n) == 1 && !n[0].Urgent {
		t.Errorf("%+v", n)
	}
	s = play(t, file)
	s.Status, s.Holds = decision.Ask, true
	scenes, err = s.Writes(s.Guest("ana"), "it bleeds")
	s.expect("books (ask); (ask) tell team: look", scenes, err)
	if n := scenes[0].Decision.Bundles[0].Effects.Notices; !n[0].Urgent {
		t.Errorf("%+v", n)
	}
}
