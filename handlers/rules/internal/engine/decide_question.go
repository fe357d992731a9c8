package engine

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// A question may never be asked: a person of ours has to approve it and refuses, or it is taken back, or becomes too late in a pause, before it leaves.

// isStillSilent looks whether the question that nobody answered was asked at all. Until then nobody is silent.
func (d *decider) isStillSilent(t *ledConversation, p *decision.Progress, s *grammar.Silent, n int) bool {
	if p.Asked.After(d.now) { // by a clock that was ahead: the timer knows how long ago it was
		p.Asked = d.now.Add(-time.Duration(s.After))
	}
	asked, known := d.questionState(p)
	switch {
	case p.Question == "":
		return false
	case !known:
		return true
	case asked.State == "": // nobody knows any more
		return false
	case asked.State == event.StateDone:
		d.asked(p, asked.At)
		if !p.Asked.Add(time.Duration(s.After)).After(d.now) {
			return false
		}
		d.silentFrom(t, p.Asked, n)
		d.end(decision.Acted, "the question was asked later, at %s", asked.At.UTC().Format(time.DateTime+" UTC"))
	case asked.State.Final():
		d.leaveConversation()
		d.end(decision.Acted, "the question was never asked, and the conversation is over")
	case asked.State == event.StateHeld:
		d.silentFrom(t, d.now, n)
		d.end(decision.Acted, "the question waits for a person")
	default:
		d.silentFrom(t, d.now, n)
		d.end(decision.Acted, "the question has not been asked yet")
	}
	return true
}

// checkAsked looks whether the question that the person would answer was asked. While it waits for a person of ours nothing is an answer;
// when it never leaves, the conversation is over.
func (d *decider) checkAsked(t *ledConversation, p *decision.Progress) bool {
	asked, known := d.questionState(p)
	switch {
	case p.Question == "":
		return false
	case !known:
		return true
	case asked.State == event.StateHeld:
		d.winner, d.held = t.Rule, "its question waits for a person"
		return true
	case asked.State == event.StateDone:
		d.asked(p, asked.At)
	case asked.State.Final():
		d.left = fmt.Sprintf("the question of %s was never asked, and the conversation is over", t.ID)
		d.leaveConversation()
		d.tryRules()
		return true
	}
	return false
}

// questionState returns what has become of the question that was asked last; known is false when that has to be read first.
func (d *decider) questionState(p *decision.Progress) (a decision.ActionFact, known bool) {
	if p.Question == "" {
		return a, true
	}
	known = d.readFact(needAction(p.Question), &a)
	return a, known
}

// onItsWay is within which time of when it was to leave a question has left as it was meant to.
const onItsWay = time.Minute

// asked takes over that a question was asked, and when, if that was much later than was meant.
func (d *decider) asked(p *decision.Progress, at time.Time) {
	if p.Question = ""; at.Sub(p.Asked).Abs() > onItsWay && !at.After(d.now) {
		p.Asked = at
	}
	d.keepProgress(p)
}
