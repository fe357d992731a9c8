package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
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

// tryableRules returns the rules to try: all of them when somebody asks why.
func (d *decider) tryableRules(w grammar.When) []*rule {
	if !d.in.Explain {
		return d.v.candidateRules(w, d.hits)
	}
	var all []*rule
	for _, r := range d.v.rules {
		if slices.Contains(r.whens, w) {
			all = append(all, r)
		}
	}
	return all
}

// statusOf returns the status that a rule acts by.
func (d *decider) statusOf(r *rule) decision.Status {
	if d.in.Status != "" && r.status != decision.Paused {
		return d.in.Status
	}
	return r.status
}

// markWinner marks the last rule that was tried as the one that answers.
func markWinner(tried []decision.Tried) []decision.Tried {
	if n := len(tried); n > 0 {
		tried[n-1].Won = true
	}
	return tried
}

// noteRule records for somebody who asks why that a rule was tried.
func (d *decider) noteRule(r *rule, matched bool, why string) {
	d.noteTried(r, decision.Tried{Matched: matched, Why: why, Found: why})
}

// noteTried is note with more than a sentence.
func (d *decider) noteTried(r *rule, t decision.Tried) {
	if d.in.Explain {
		t.At, t.Rule, t.Status = r.At, r.id, r.status
		d.out.Tried = append(d.out.Tried, t)
	}
}

// noteStep records that a step was asked.
func (d *decider) noteStep(r *rule, why string) {
	d.noteTried(r, decision.Tried{Matched: true, Why: why, Found: why, End: decision.TriedStep})
}

// noteHeld records that a rule matched by a condition, and is held back.
func (d *decider) noteHeld(r *rule, found, held string) {
	d.noteTried(r, decision.Tried{Matched: true, Why: "it matched (" + found + "), and is held back: " + held, Found: found, Held: held, End: decision.TriedHeld})
}

// heldSentence says that a rule is held back, once in a decision.
func (d *decider) heldSentence(r *rule, held string) string {
	s := r.id + " matched, and is held back: " + held
	d.saidHeld = append(d.saidHeld, s)
	return s
}

// end says what came of it.
func (d *decider) end(o decision.Outcome, format string, args ...any) {
	d.out.Outcome, d.out.Reason = o, fmt.Sprintf(format, args...)
}

// readFact reads a fact; false when it has to be read first.
func (d *decider) readFact(n decision.Need, into any) bool {
	raw, ok := d.in.Facts[n.Name]
	if ok && json.Unmarshal(raw, into) == nil {
		return true
	}
	if d.in.Sealed {
		return false
	}
	if !slices.ContainsFunc(d.out.Needs, func(x decision.Need) bool { return x.Name == n.Name }) {
		// Asked for, and decided on as if it were not so: until the facts are there, nothing of the decision counts.
		d.out.Needs = append(d.out.Needs, n)
	}
	return false
}

// alsoWatched names the rules on watch; "" for none.
func (d *decider) alsoWatched() string {
	if len(d.watched) == 0 {
		return ""
	}
	return "on watch: " + strings.Join(d.watched, ", ")
}

// FactBy is the rules that decided the actions of a turn, in their order, when they are not all of the rule that
// its decision record names.
const FactBy = "by"

// keepDeciders keeps who decided each action, when the decision's rule does not say that.
func (d *decider) keepDeciders() {
	if !slices.ContainsFunc(d.out.Actions, func(a decision.Action) bool { return a.Rule != d.out.Rule || len(a.With) > 0 }) { //mutate:rule-names
		return
	}
	by := make([]string, len(d.out.Actions))
	for i := range by {
		by[i] = strings.Join(d.out.Actions[i].Rules(), ", ")
	}
	d.keepFact(FactBy, by)
}
