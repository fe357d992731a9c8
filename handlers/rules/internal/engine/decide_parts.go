package engine

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// What somebody wrote in a row is decided about as one text. A text of it that had no part in why a rule matched, and
// that another rule is for by itself, is answered by that rule, too.

// burstParts is what the decision about a burst of several texts keeps of them.
type burstParts struct {
	parts   []part
	alone   *rule // a rule that gives the conversation to a team: it answers alone
	joins   bool  // the answers are said in one message
	anew    bool  // the rules are to be tried anew: alone or joins has come to light
	pass    bool  // the rules for what happened are tried
	beside  bool  // rules answer only what is no part of the answer to a step
	begun   *rule // it begins a conversation, once the others have answered
	ignored *rule // ignores all of it
	join    int   // where the message stands to which what is said next is added; -1 for none
}

// part is one text of a burst.
type part struct {
	id     event.ID
	text   string
	hits   []int // the text conditions that it fulfils alone
	rule   *rule // the rule that answers it, or leaves it unanswered on purpose
	shadow *rule // the same of the rules on watch
}

const (
	// mostParts is how many texts of a burst are looked at one by one: more is a flood, and answered as one text.
	mostParts = 100
	// mostRow is up to how many texts of a question are told apart.
	mostRow = 8
)

// split makes the texts of a burst known one by one.
func (d *decider) split(b *decision.Burst) {
	// What is over burstText is not kept, so that texts and events need not match: then nobody knows which text belongs to which event.
	if len(b.Texts) < 2 || len(b.Texts) > mostParts || len(b.Texts) != len(b.Events) {
		return
	}
	for i, said := range b.Texts {
		said = strings.TrimSpace(said)
		d.parts = append(d.parts, part{id: b.Events[i], text: said, hits: d.v.Texts.Match(match.Read(said), nil)})
	}
}

// hasSeveralParts reports whether what is decided about is a burst of several texts.
func (d *decider) hasSeveralParts() bool { return len(d.parts) > 1 }

// takeSnapshot returns a function that takes back what the rules have decided from here on, except that one of them
// answers alone, or that several answer.
func (d *decider) takeSnapshot() func(d *decider) {
	if !d.hasSeveralParts() {
		return nil
	}
	saved, state, parts := *d, cloneOf(&d.state), slices.Clone(d.parts)
	return func(d *decider) {
		alone, joins := d.alone, d.joins
		*d = saved
		d.state, d.parts = state, parts
		d.alone, d.joins = alone, joins
	}
}

// mayAnswer reports whether a rule that matched gives an answer: the first one does, and of a burst every one that is
// for a text which nobody answers. What gives the conversation away answers alone.
func (d *decider) mayAnswer(r *rule) bool {
	if d.alone != nil {
		return r == d.alone
	}
	if d.winner == nil && !d.beside || !d.pass {
		return d.winner == nil
	}
	if d.out.Handoff != nil || d.winner != nil && d.held == "" && d.winner.hands || !d.giveFurtherParts(r) {
		return false
	}
	switch {
	case r.hands: //mutate:handoff-alone
		d.alone, d.anew = r, true
	case !d.joins && d.held == "":
		d.joins, d.anew = true, true
	}
	return true
}

// noteWinner notes that a rule gives an answer: the first one is the decision's.
func (d *decider) noteWinner(r *rule) {
	if d.winner == nil || d.held != "" {
		d.giveMatchedParts(r)
		d.winner, d.held = r, ""
	}
}

// giveMatchedParts gives a rule the texts of a burst that have part in why it matched; it reports whether there are texts
// besides.
func (d *decider) giveMatchedParts(r *rule) bool {
	if !d.hasSeveralParts() {
		return false
	}
	return d.giveParts(d.partsOf(r.conds), func(p *part) **rule { return &p.rule }, r)
}

// giveParts gives a rule those of some parts that nobody has; it reports whether there are others.
func (d *decider) giveParts(of []bool, place func(*part) **rule, r *rule) bool {
	others := false
	for i := range d.parts {
		if to := place(&d.parts[i]); *to == nil && of[i] {
			*to = r
		}
		others = others || !of[i]
	}
	return others
}

// partsOf returns which texts have part in why conditions hold: those of the shortest rows of texts in which what a
// condition looks for is there. All have, where nothing is looked for.
func (d *decider) partsOf(conds []cond) []bool {
	of := make([]bool, len(d.parts))
	for i := range conds {
		if n := conds[i].text; n >= 0 && conds[i].Text.IsPositive() {
			d.markRows(of, func(from, to int) bool { return d.rowHits(from, to, n) })
		}
	}
	return allUnlessSome(of)
}

func allUnlessSome(of []bool) []bool {
	if slices.Contains(of, true) {
		return of
	}
	for i := range of {
		of[i] = true
	}
	return of
}

// markRows marks the shortest rows of texts for which something holds, and returns them. Both ends of a row belong to it.
func (d *decider) markRows(of []bool, holds func(from, to int) bool) (found [][2]int) {
	from := 0
	for to := range d.parts {
		if from = max(from, to-mostRow+1); !holds(from, to) {
			continue
		}
		for from < to && holds(from+1, to) {
			from++
		}
		for i := from; i <= to; i++ {
			of[i] = true
		}
		found = append(found, [2]int{from, to})
		// The next row begins behind where this one did, or it would be found again within a longer one.
		from++
	}
	return found
}

// rowText returns the texts of a row as one.
func (d *decider) rowText(from, to int) string {
	texts := make([]string, 0, to-from+1)
	for i := from; i <= to; i++ {
		texts = append(texts, d.parts[i].text)
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// rowHits reports whether a text condition holds for a row of texts.
func (d *decider) rowHits(from, to, n int) bool {
	hits := d.parts[from].hits
	if from < to { //mutate:burst-row
		hits = d.v.Texts.Match(match.Read(d.rowText(from, to)), nil)
	}
	_, ok := slices.BinarySearch(hits, n)
	return ok
}

// giveFurtherParts gives a rule that matched the texts that nobody answers and that it is for by themselves; it reports whether
// there are any.
func (d *decider) giveFurtherParts(r *rule) bool {
	return d.furtherParts(r, func(p *part) bool { return p.rule == nil || p.rule == r }, func(p *part) { p.rule = r })
}

func (d *decider) furtherParts(r *rule, free func(*part) bool, take func(*part)) bool {
	if !d.hasSeveralParts() || !r.looksFor() {
		return false
	}
	found := false
	for i := range d.parts {
		if p := &d.parts[i]; free(p) && p.fulfilsAll(r.conds) { //mutate:burst-further
			take(p)
			found = true
		}
	}
	return found
}

// looksFor reports whether the rule looks for something in a text.
func (r *rule) looksFor() bool {
	return slices.ContainsFunc(r.conds, func(c cond) bool { return c.text >= 0 && c.Text.IsPositive() })
}

// fulfilsAll reports whether a text by itself is what conditions look for.
func (p *part) fulfilsAll(conds []cond) bool {
	return !slices.ContainsFunc(conds, func(c cond) bool {
		if c.text < 0 {
			return false
		}
		_, ok := slices.BinarySearch(p.hits, c.text)
		return !ok
	})
}

// wouldAnswer reports whether a rule on watch would give an answer.
func (d *decider) wouldAnswer(r *rule) bool {
	place := func(p *part) **rule { return &p.shadow }
	switch {
	case d.winner == nil && d.shadow == nil && !d.beside:
		if d.hasSeveralParts() {
			d.giveParts(d.partsOf(r.conds), place, r)
		}
		return true
	case d.winner != nil && d.winner.hands || d.shadow != nil && d.shadow.hands || r.hands:
		return false
	}
	return d.furtherParts(r, func(p *part) bool { return p.rule == nil && p.shadow == nil }, func(p *part) { p.shadow = r })
}

// performBegun begins the conversation that has waited for what others answer.
func (d *decider) performBegun() {
	if r := d.begun; r != nil && len(d.out.Needs) == 0 {
		d.begun = nil
		d.performRule(r, d.statusOf(r), true)
	}
}

// ledTo says which text of a burst led to which rule, when that is not the same one for all.
func (d *decider) ledTo() {
	var first *rule
	several := false
	for i := range d.parts {
		if r := d.parts[i].rule; r != nil {
			several = several || first != nil && r != first
			first = r
		}
	}
	if !several {
		return
	}
	var all []string
	for i := range d.parts {
		if p := &d.parts[i]; p.rule != nil {
			d.out.Led = append(d.out.Led, decision.Led{Event: p.id, Rule: p.rule.id})
			all = append(all, p.id.String()+" led to "+p.rule.id)
		}
	}
	d.out.Reason = joinReasons(d.out.Reason, strings.Join(all, ", "))
}
