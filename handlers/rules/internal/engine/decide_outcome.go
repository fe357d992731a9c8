package engine

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
)

// done completes the decision.
func (d *decider) done() decision.Decision {
	if len(d.out.Needs) > 0 {
		// Nothing else leaves: it is decided anew from the beginning, with these facts.
		return decision.Decision{Needs: d.out.Needs, Tried: d.out.Tried}
	}
	switch {
	case d.winner != nil:
		d.out.Rule = d.winner.id
	case d.doer != nil:
		d.out.Rule = d.doer.id
	}
	d.awaitEmptyBundles()
	d.keepTold()
	d.keepCalls()
	d.introduceBot()
	d.giveBacks()
	d.keepDeciders()
	if d.out.Outcome == "" {
		d.outcome()
	}
	d.wasHeld()
	d.ledTo()
	d.noteConcerns()
	d.out.Beside = joinReasons(d.left, d.out.Reason)
	d.out.Reason = joinReasons(d.left, joinReasons(d.owner, d.out.Reason))
	d.out.State, d.out.Changed, d.out.Said = d.state, d.changed, d.keptText()
	return d.out
}

// joinReasons puts one reason behind another one.
func joinReasons(one, other string) string {
	if one == "" || other == "" {
		return one + other
	}
	return one + "; " + other
}

func (d *decider) outcome() {
	is := func(status decision.Status) bool {
		return slices.ContainsFunc(d.out.Actions, func(a decision.Action) bool { return a.Verb.Makes() && a.Status == status })
	}
	says := is(decision.Live) || is(decision.Ask)
	d.asksNothing = d.asksNothing || d.begins && !says
	//mutate:ask-outcome
	prepared := len(d.out.Bundles) > 0
	switch {
	// The most that came about names the turn: it is what people look for, in lists and in why.
	case d.held != "" && !says:
		d.end(d.heldOutcome(d.winner), "%s", d.heldSentence(d.winner, d.held))
	case d.winner != nil && d.winner.ignores && !says:
		d.end(decision.Ignored, "%s ignores it", d.winner.id)
	case is(decision.Live):
		d.out.Outcome = decision.Answered
	case prepared:
		d.out.Outcome = decision.Prepared
	case d.acted:
		d.out.Outcome = decision.Acted
	case d.stayed != nil:
		d.out.Rule = d.stayed.id
		d.end(d.heldOutcome(d.stayed), "%s", joinReasons(d.heldSentence(d.stayed, d.staying), d.alsoWatched()))
	case len(d.watched) > 0:
		d.end(decision.Watched, "on watch, and would have done something: %s", strings.Join(d.watched, ", "))
	case d.begins:
		d.end(decision.Unmatched, "%q ends the silence that the person asked for, and no rule is for more", d.said)
	default:
		d.end(decision.Unmatched, "no rule matched")
	}
	if d.out.Reason == "" {
		d.out.Reason = d.alsoWatched()
	}
}
