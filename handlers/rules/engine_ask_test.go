package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// waits tells what happens with an approval, in short.
func waits(e *event.Effects) (out []string) {
	for _, l := range e.Labels {
		out = append(out, "(ask) label "+l)
	}
	for _, l := range e.Unlabels {
		out = append(out, "(ask) unlabel "+l)
	}
	for _, n := range e.Notices {
		out = append(out, "(ask) tell "+n.Who+": "+n.Text)
	}
	for _, x := range e.Entries {
		out = append(out, "(ask) list "+x.List+": "+x.Text+string(x.Data))
	}
	if e.Handoff != nil {
		out = append(out, "(ask) hand over to "+e.Handoff.To)
	}
	return out
}

// stands checks what is kept of the conversation.
func (s *stage) stands(labels, owner string) {
	s.Helper()
	state := s.Guest(s.who).State
	if got := strings.Join(state.Labels, " "); got != labels || state.Owner != owner {
		s.Errorf("labels %q, owner %q; want %q and %q", got, state.Owner, labels, owner)
	}
}

const complaint = "rules:\n  - id: complaint\n    when: message\n    then:\n      - label: [angry]\n      - list: complaints\n" +
	"      - notify: { who: sales, text: look }\n      - handoff: { to: team, say_open: We are sorry., say_closed: We are sorry., if_nobody_in: 30m, bot_returns: after 12h of silence }\n"

// All that a rule on ask does waits together; a refusal takes all of it back, and an approval lets all of it happen.
func TestAllOfARuleOnAskWaits(t *testing.T) {
	t.Parallel()
	const waiting = "message We are sorry. (ask); (ask) label angry; (ask) tell sales: look; (ask) tell team: message from @ana: bad; " +
		"(ask) list complaints: bad; (ask) hand over to team"
	s := approved(t, complaint)
	s.says("bad", waiting)
	s.stands("", "")
	s.waits(time.Hour, "")
	s.held(1, s.Rule(s.Guest("ana"), false))
	s.stands("", "")
	s.waits(time.Hour, "") // nobody is reminded
	s.says("bad", waiting)
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.stands("angry", "team")
	s.waits(29*time.Minute, "") // from the approval on
	s.waits(2*time.Minute, "tell team: nobody has answered yet: message from @ana: bad")
}

// A label that is there already needs no approval, and one that is not there is not taken off.
func TestAskForNothing(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("fan", "    when: message\n    then:\n      - label: [fan]\n      - unlabel: [foe]\n    limits: { per_person: 9 per 1d }\n"))
	s.says("hi", "books (ask); (ask) label fan")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.says("hi", "acted")
	s.stands("fan", "")
}

// An approval that comes after answer_within finds that it is too late.
func TestApprovalAfterAnswerWithin(t *testing.T) {
	t.Parallel()
	s := approved(t, strings.Replace(complaint, "    when:", "    answer_within: 2h\n    when:", 1))
	scenes, err := s.Event(event.Event{
		Account: "rehearsal", ID: event.ID{Source: event.Messages, Number: 1}, Kind: event.KindMessage, Peer: 1000, Name: "Ana", User: "ana",
		Text: "bad", SeenAt: s.Now(), NotBefore: s.Now().Add(-time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	if b := scenes[0].Decision.Bundles; len(b) != 1 || b[0].Within != 2*time.Hour || !b[0].Expires.Equal(s.Now().Add(time.Hour)) {
		t.Fatalf("what waits is %+v", b)
	}
	s.waits(61*time.Minute, "")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.stands("", "")
}

// A held like is prepared, as a held answer is.
func TestHeldLikeIsPrepared(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("likes", "    when: mention\n    then:\n      - like: the_post\n"))
	scenes, err := s.Says(s.Guest("ana"), event.KindMention, "look", 7)
	if err != nil || scenes[0].Decision.Outcome != decision.Prepared {
		t.Errorf("%v, the outcome is %q", err, scenes[0].Decision.Outcome)
	}
}

// What a step does waits with what it says; the conversation moves on.
func TestStepOnAsk(t *testing.T) {
	t.Parallel()
	s := approved(t, strings.Replace(booking, "id: day\n        ask: Which day?", "id: first\n        say: One question.\n        then: [ { label: [asked] } ]\n        next: day\n      - id: day\n        ask: Which day?", 1))
	s.says("book", "message One question. (ask); message Which day? (ask); (ask) label asked")
	s.stands("", "")
	s.held(2, s.Rule(s.Guest("ana"), true))
	s.stands("asked", "")
}

// A conversation that a rule on ask begins asks its first question together with what the rule says.
func TestStartOnAsk(t *testing.T) {
	t.Parallel()
	s := play(t, "defaults: { limits: { per_person: 1 per 12h } }\n"+
		strings.Replace(booking, "conversations:", "rules:\n"+rule("begins", "    status: ask\n    when: follow\n    then:\n      - label: [new]\n      - start: booking\n")+"conversations:", 1))
	s.Holds = true
	scenes, err := s.Says(s.Guest("ana"), event.KindFollow, "", 0)
	s.expect("message Which day? (ask); (ask) label new", scenes, err)
	if b := scenes[0].Decision.Bundles; len(b) != 1 || !slices.Equal(b[0].Actions, []int{0}) {
		t.Errorf("what waits is %+v", b)
	}
	s.held(1, s.Rule(s.Guest("ana"), false))
	s.stands("", "")
	s.says("tomorrow", "unmatched") // nobody was asked
}

// While one of our people has the conversation, a rule on ask keeps no books without an approval either.
func TestAskWhileOwned(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("looks", "    when: message\n    if: { conversation: { owner: anybody } }\n    then:\n      - label: [late]\n"))
	takeOver(s.Rehearsal, s.Guest("ana"))
	s.says("hello?", "books (ask); (ask) label late")
	s.stands("", "person")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.stands("late", "person")
}

// Nobody waits any more once an answer was approved; before that, they do.
func TestWaitingEndsWithTheApproval(t *testing.T) {
	t.Parallel()
	s := approved(t, "rules:\n"+rule("price", "    when: message\n    then:\n      - reply: Twelve.\n      - notify: { who: team, if_waiting: 30m, text: waits }\n"))
	s.says("price?", "message Twelve. (ask)")
	s.waits(time.Hour, "")
	s.held(1, s.Rule(s.Guest("ana"), true))
	s.waits(31*time.Minute, "tell team: waits") // since the answer
	if s.Guest("ana").State.Memory.Answered.IsZero() {
		t.Error("an approved answer is none")
	}
}

// What two rules answer in one message waits together, as what they do beside it does; that of a live rule happens at once.
func TestJoinedAnswersOnAsk(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"ask": "", "live": "hours"} {
		s := play(t, "defaults: { limits: { per_person: 9 per 12h }, merge_messages: 6s }\nrules:\n"+
			rule("price", "    status: ask\n    when: message\n    if: { text: { any_word: price } }\n    then:\n      - label: [price]\n      - reply: Twelve.\n")+
			rule("hours", "    status: "+status+"\n    when: message\n    if: { text: { any_word: open } }\n    then:\n      - label: [hours]\n      - reply: At nine.\n"))
		s.Holds = true
		scenes, err := s.Says(s.Guest("ana"), event.KindMessage, "the price?", 0)
		s.expect("", scenes, err)
		if _, err = s.Says(s.Guest("ana"), event.KindMessage, "are you open?", 0); err != nil {
			t.Fatal(err)
		}
		if scenes, err = s.Quiesce(); err != nil {
			t.Fatal(err)
		}
		d := scenes[len(scenes)-1].Decision
		if len(d.Actions) != 1 || d.Actions[0].Status != decision.Ask || len(d.Bundles) != 1 || !slices.Equal(d.Bundles[0].Actions, []int{0}) {
			t.Errorf("%s: %+v, %+v", status, d.Actions, d.Bundles)
		}
		s.stands(want, "")
		s.held(1, s.Rule(s.Guest("ana"), true))
		s.stands("hours price", "")
	}
}
