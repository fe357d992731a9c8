package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

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
