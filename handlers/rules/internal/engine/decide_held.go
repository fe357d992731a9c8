package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// What a limit, a flood, quiet hours, the ceiling or a pause keeps silent would reach nobody: rules with
// when: held_back do something about it.

// holding is a rule that would have answered, and was held back.
type holding struct {
	rule   *rule
	reason grammar.HeldReason // "" for what no rule can wait for
	why    string
	own    bool // nobody else answers what it is about, also when something is said
}

// Everything is the key of Input.Paused that holds everything back.
const Everything = ""

// factPaused is what was paused at the time, by rule.
const factPaused = "paused"

// keepPauses takes over what is paused by hand, and keeps it with the decision.
func (d *decider) keepPauses() {
	d.paused = d.in.Paused
	if raw, ok := d.in.Facts[factPaused]; ok && len(d.paused) == 0 && json.Unmarshal(raw, &d.paused) != nil {
		d.paused = nil
	}
	if len(d.paused) > 0 {
		d.keepFact(factPaused, d.paused)
	}
}

// pausedBy returns why a rule, or everything, is paused by hand; "" when it is not. What does something about a
// pause is not paused with everything.
func (d *decider) pausedBy(r *rule) string {
	why, ok := d.paused[r.id]
	if !ok && !d.taking {
		why, ok = d.paused[Everything]
	}
	switch {
	case !ok:
		return ""
	case why == "":
		return "it is paused"
	default:
		return why
	}
}

// pausedStep looks whether the conversation that the person stands in is paused: it waits where it stands.
func (d *decider) pausedStep(t *ledConversation) bool {
	why := d.pausedBy(t.Rule)
	if why == "" {
		return false
	}
	d.winner, d.held = t.Rule, why
	d.noteStep(t.Rule, "step "+d.state.Flow.State+": it waits: "+why)
	d.holdBack(t.Rule, grammar.HeldPaused, why, false)
	return true
}

// heldOutcome is how it ends that a rule was held back.
func (d *decider) heldOutcome(r *rule) decision.Outcome {
	if d.pausedBy(r) != "" {
		return decision.OnPause
	}
	return decision.HeldBack
}

// holdBack notes that a rule which would have answered is held back.
func (d *decider) holdBack(r *rule, reason grammar.HeldReason, why string, own bool) {
	// What would have answered nothing leaves nobody waiting.
	if r.Answers && !d.taking { // its own being held back starts nothing
		d.withheld = append(d.withheld, holding{r, reason, why, own})
	}
}

// dropsAnswer notes that quiet hours dropped all that a rule would have said.
func (d *decider) dropsAnswer(r *rule) {
	if !d.quiet || d.put >= 0 || r.hands || d.taking {
		return
	}
	const why = "quiet hours: it is not said"
	if d.holdBack(r, grammar.HeldHours, why, d.winner != r); d.winner == r {
		d.held = why
	}
}

// aboveCeiling looks whether what was decided is more than may be said to the person.
func (d *decider) aboveCeiling() {
	n := 0
	for i := range d.out.Actions {
		if a := &d.out.Actions[i]; a.Status == decision.Live && a.Verb.Makes() {
			n++
		}
	}
	var room int
	if n > 0 && d.winner != nil && d.readFact(needCeiling, &room) && room < n { //mutate:above-ceiling
		d.holdBack(d.winner, grammar.HeldCeiling, "too much was said to the person in a short time (NECTAR_CEILING)", true)
	}
}

// takeHeld lets rules do something about what was held back, and nobody else has answered.
func (d *decider) takeHeld() {
	if d.mute || !d.v.takes {
		return
	}
	if d.v.ceiling {
		d.aboveCeiling()
	}
	held := d.unheard()
	d.took = held
	if len(held) == 0 || len(d.out.Needs) > 0 {
		return
	}
	winner, why := d.winner, d.held
	if why != "" {
		// It makes way: the rule that takes what was held back may answer in its place.
		d.winner, d.held = nil, ""
	}
	d.taking = true
	for _, r := range d.tryableRules(grammar.OnHeldBack) {
		if !slices.ContainsFunc(held, func(h holding) bool { return r.takesHeld(h.reason) }) { //mutate:held-reason
			d.noteRule(r, false, "nothing was held back for its reason")
			continue
		}
		_, d.mute = d.paused[Everything] // then it keeps books, and nothing leaves
		d.tryRule(r)
		if d.mute = false; len(d.out.Needs) > 0 {
			return
		}
	}
	d.taking = false
	if d.winner == nil {
		d.winner, d.held = winner, why
	}
}

// takesHeld reports whether the rule waits for what was held back for a reason.
func (r *rule) takesHeld(reason grammar.HeldReason) bool {
	return reason != "" && (len(r.reasons) == 0 || slices.Contains(r.reasons, reason))
}

// unheard returns what was held back and nobody else has answered.
func (d *decider) unheard() []holding {
	if !d.says() {
		return d.withheld
	}
	return slices.DeleteFunc(slices.Clone(d.withheld), func(h holding) bool { return !h.own }) //mutate:answered-otherwise
}

// says reports whether something is said that leaves, or waits for a person.
func (d *decider) says() bool {
	return slices.ContainsFunc(d.out.Actions, func(a decision.Action) bool { return a.Verb.Makes() && a.Status.Acts() })
}

// wasHeld adds to the reason what was held back, and who took it.
func (d *decider) wasHeld() {
	add := func(s string) {
		d.out.Held = append(d.out.Held, s)
		d.out.Reason = joinReasons(d.out.Reason, s)
	}
	held := d.took
	if held == nil {
		held = d.unheard()
	}
	for _, h := range held {
		said := len(d.saidHeld)
		if s := d.heldSentence(h.rule, h.why); !slices.Contains(d.saidHeld[:said], s) {
			add(s)
		}
	}
	if len(d.takers) > 0 {
		add(strings.Join(d.takers, ", ") + " takes it")
	}
}
