package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// held tells how much was approved or refused.
func (s *stage) held(want, got int) {
	s.Helper()
	if got != want {
		s.Errorf("%d actions waited, want %d", got, want)
	}
}

// approved is a stage on which people of ours have to approve what a file would do.
func approved(t *testing.T, file string) *stage {
	t.Helper()
	s := play(t, "defaults: { limits: { per_person: 1 per 12h } }\n"+file)
	s.Status, s.Holds = "ask", true
	return s
}

// What waits for a person is not prepared once more; once refused, or approved, the limit says what happens.
func TestHeldOnce(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("price", "    when: message\n    then:\n      - reply: Twelve.\n"))
	s.says("price?", "message Twelve. (ask)")
	s.says("price??", "held back")
	s.held(1, s.Rule(s.Guest("ana"), false))
	s.says("price???", "message Twelve. (ask)")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.says("price????", "held back") // once in 12 hours
	s.held(0, s.Rule(s.Guest("ana"), true))
}

// What is about another post is another thing.
func TestHeldByPost(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("likes", "    when: mention\n    then:\n      - like: the_post\n    limits: { per_person: 3 per 1d }\n"))
	like := func(post int64, want string) {
		t.Helper()
		scenes, err := s.Says(s.Guest("ana"), event.KindMention, "look", postOf(post))
		s.expect(want, scenes, err)
	}
	like(7, "like (ask)")
	like(7, "held back")
	like(8, "like (ask)")
	s.held(2, s.Rule(s.Guest("ana"), true))
}

// A rule on ask that does nothing on the platform waits all the same, and counts with the approval.
func TestAskWithoutActions(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("tells", "    when: message\n    then:\n      - notify: { who: team, text: look }\n"))
	s.says("hi", "books (ask); (ask) tell team: look")
	s.says("hi", "held back")
	s.held(1, s.Rule(s.Guest("ana"), false))
	s.says("hi", "books (ask); (ask) tell team: look")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.says("hi", "held back") // once in 12 hours
}

// A rule that fires too often stops itself also while everything waits for a person.
func TestTooManyOnAsk(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("welcome", "    when: follow\n    then:\n      - message: welcome\n"+
		"    if_too_many: { more_than: 2 in 10m, then: pause_and_notify, who: team }\n"))
	for i, want := range []string{"message welcome (ask)", "message welcome (ask)", "tell team: welcome fired more than 2 times in 10m, and is paused; " +
		"list paused: welcome fired more than 2 times in 10m, and is paused"} {
		s.who = strings.Repeat("a", i+1)
		s.does(event.KindFollow, "", want)
	}
}

// Nothing is an answer to a question that waits for a person, and silence counts from when it was asked.
func TestQuestionWaits(t *testing.T) {
	t.Parallel()
	s := approved(t, strings.Replace(booking, "    steps:\n", "    if_silent:\n      - { after: 1h, reply: Still there? }\n      - { after: 3h, goto: person }\n    steps:\n", 1))
	s.says("book", "message Which day? (ask)")
	s.says("hello?", "held back")
	s.says("tomorrow", "held back")
	s.waits(2*time.Hour, "acted") // it is looked at, and nobody is silent
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.waits(61*time.Minute, "message Still there? (ask)")
	s.waits(110*time.Minute, "")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.waits(20*time.Minute, "message Somebody will answer. (ask); (ask) tell sales: silence from @ana; (ask) hand over to sales")
}

// A question that was refused was never asked: what is written then is for the rules.
func TestQuestionRefused(t *testing.T) {
	t.Parallel()
	s := approved(t, booking)
	s.says("book", "message Which day? (ask)")
	s.held(1, s.Rule(s.Guest("ana"), false))
	s.says("tomorrow", "unmatched")
	s.says("book", "message Which day? (ask)")
}

// An answer that waits for a person has answered nobody.
func TestHeldIsNoAnswer(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { limits: { per_person: 1 per 12h } }\nrules:\n"+
		rule("none", "    when: message\n    then:\n      - notify: { who: team, if_waiting: 30m }\n")+
		rule("price", "    status: ask\n    when: message\n    then:\n      - reply: Twelve.\n"))
	s.Holds = true
	s.says("price?", "message Twelve. (ask)")
	s.waits(31*time.Minute, "tell team: message from @ana: price?")
}

func postOf(n int64) platform.PostID { return platform.PostID(n) }

// Of several rules that act on one event, only what the one did whose action comes to nothing is given back.
func TestGiveBack(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("likes", "    when: mention\n    then:\n      - like: the_post\n"+per)+
		rule("thanks", "    when: mention\n    then:\n      - reply: Thank you.\n"+per)+
		rule("labels", "    when: mention\n    then:\n      - label: fan\n"+per))
	scenes, err := s.Says(s.Guest("ana"), event.KindMention, "look", 7)
	if err != nil {
		t.Fatal(err)
	}
	d := &scenes[0].Decision
	if d.LimitUseOf < 0 || d.Actions[d.LimitUseOf].Rule != "thanks" {
		t.Errorf("the uses belong to action %d of %+v", d.LimitUseOf, d.Actions)
	}
	got := map[string]bool{}
	for _, c := range d.LimitUses {
		got[c.Limit] = c.GiveBack
	}
	want := map[string]bool{"rules/likes/per_person": false, "rules/thanks/per_person": true, "rules/labels/per_person": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is given back (-want +got)\n%s", diff)
	}
}
