package rules_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
)

const whileOwned = "    if: { conversation: { owner: anybody } }\n"

// While one of our people has a conversation, rules that ask for it put labels on it, keep lists and tell teams.
func TestOwnedBooks(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("all", "    when: message\n    then: [{ reply: hello }, { label: greeted }]\n"+per)+
		rule("sales-only", "    when: message\n    if: { conversation: { owner: sales } }\n    then: [{ notify: { who: sales, text: sales } }]\n")+
		rule("refund", "    when: [message, mention]\n    if: [{ text: { any_word: refund } }, { conversation: { owner: anybody } }]\n"+
			"    then:\n      - label: refund\n      - list: refunds\n      - notify: { who: team, text: refund }\n"+per))
	ana := s.Guest("ana")
	s.says("refund?", "message hello") // nobody has it
	takeOver(s.Rehearsal, ana)
	s.says("hello", "owned")
	s.says("I want a refund", "tell team: refund; list refunds: I want a refund")
	if got := ana.State.Labels; len(got) != 2 || got[1] != "refund" {
		t.Errorf("labels %q", got)
	}
	scenes, err := s.Says(ana, event.KindMessage, "refund!", 0)
	if err != nil {
		t.Fatal(err)
	}
	decided(t, scenes, decision.Owned, "refund", "person has the conversation; refund matched, and is held back: the limit refund/per_person (1 per 12h) is used up")
	ana.State.Owner = "sales"
	s.says("hello", "tell sales: sales")
	giveBack(ana)
	s.who = "ana"
	s.waits(13*time.Hour, "")
	s.says("refund", "message hello")
}

// Nothing that waits for the end of a burst is answered with what is seen meanwhile, and nothing of the person's
// answers is read.
func TestOwnedBesideBurst(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { merge_messages: 6s }\nrules:\n"+rule("all", "    when: message\n    then: [{ reply: hello }]\n"+per)+
		rule("seen", "    when: message\n"+whileOwned+"    then: [{ list: seen }]\n"))
	ana := s.Guest("ana")
	scenes, err := s.Says(ana, event.KindMessage, "hi", 0)
	s.expect("", scenes, err)
	takeOver(s.Rehearsal, ana)
	s.waits(time.Minute, "")
	s.says("thanks", "list seen: thanks")
	giveBack(ana)
	s.waits(2*time.Hour, "left alone")
	s.says("hi again", "message hello")
}

// A team can be told when nobody of ours has answered for a while, also when the conversation is theirs.
func TestOwnedWaiting(t *testing.T) {
	t.Parallel()
	file := "rules:\n" + rule("late", "    when: message\n"+whileOwned+"    then: [{ notify: { who: team, if_waiting: 30m } }]\n")
	for name, c := range map[string]struct {
		meanwhile func(s *stage, ana *rehearse.Guest)
		want      string
	}{
		"nobody has":         {func(*stage, *rehearse.Guest) {}, "tell team: message from @ana: hello?"},
		"one has":            {func(s *stage, ana *rehearse.Guest) { takeOver(s.Rehearsal, ana) }, "left alone"},
		"it was given back":  {func(s *stage, ana *rehearse.Guest) { giveBack(ana) }, "tell team: message from @ana: hello?"},
		"another one has it": {func(_ *stage, ana *rehearse.Guest) { ana.State.Owner = "sales" }, "tell team: message from @ana: hello?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, file)
			ana := s.Guest("ana")
			takeOver(s.Rehearsal, ana)
			s.waits(time.Minute, "")
			s.says("hello?", "owned")
			s.waits(10*time.Minute, "")
			c.meanwhile(s, ana)
			s.waits(21*time.Minute, c.want)
			s.waits(2*time.Hour, "")
		})
	}
}

// On watch, rules only say what they would have done.
func TestOwnedOnWatch(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+rule("seen", "    status: watch\n    when: message\n"+whileOwned+"    then: [{ list: seen }]\n"))
	takeOver(s.Rehearsal, s.Guest("ana"))
	scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "hi", 0)
	if err != nil {
		t.Fatal(err)
	}
	decided(t, scenes, decision.Owned, "", "person has the conversation; on watch: seen")
}
