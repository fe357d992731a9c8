package rules

import (
	"slices"
	"strings"
)

// done completes the decision.
func (d *decider) done() Decision {
	if len(d.out.Needs) > 0 {
		return Decision{Needs: d.out.Needs, Tried: d.out.Tried}
	}
	switch {
	case d.winner != nil:
		d.out.Rule = d.winner.id
	case d.doer != nil:
		d.out.Rule = d.doer.id
	}
	d.books()
	d.giveBacks()
	d.names()
	if d.out.Outcome == "" {
		d.outcome()
	}
	d.wasHeld()
	d.ledTo()
	switch {
	case d.left == "":
	case d.out.Reason == "":
		d.out.Reason = d.left
	default:
		d.out.Reason = d.left + "; " + d.out.Reason
	}
	d.out.State, d.out.Changed, d.out.Said = d.state, d.changed, d.kept()
	return d.out
}

func (d *decider) outcome() {
	is := func(status Status) bool {
		return slices.ContainsFunc(d.out.Actions, func(a Action) bool { return a.Verb.Makes() && a.Status == status })
	}
	says := is(Live) || is(Ask)
	//mutate:ask-outcome
	prepared := len(d.out.Bundles) > 0
	switch {
	case d.held != "" && !says:
		d.end(d.heldOutcome(d.winner), "%s matched, and is held back: %s", d.winner.id, d.held)
	case is(Live):
		d.out.Outcome = Answered
	case prepared:
		d.out.Outcome = Prepared
	case d.acted:
		d.out.Outcome = Acted
	case d.stayed != nil:
		d.out.Rule = d.stayed.id
		d.end(d.heldOutcome(d.stayed), "%s matched, and is held back: %s%s", d.stayed.id, d.staying, d.alsoWatched())
	case len(d.watched) > 0:
		d.end(Watched, "on watch, and would have done something: %s", strings.Join(d.watched, ", "))
	case d.begins:
		d.end(Unmatched, "%q ends the silence that the person asked for, and no rule is for more", d.said)
	default:
		d.end(Unmatched, "no rule matched")
	}
	if len(d.watched) > 0 && d.out.Reason == "" {
		d.out.Reason = "on watch: " + strings.Join(d.watched, ", ")
	}
}
