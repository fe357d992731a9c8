package engine

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// What a rule ignores asks for nothing: of several messages in a row the others are decided about as if it had not been written.

// leaveOutIgnored leaves out the texts of a row that rules ignore, unless all of them are ignored: then the first such rule has the row.
func (d *decider) leaveOutIgnored() {
	if !d.hasSeveralParts() || !d.v.ignores || d.inTalk() {
		return
	}
	by := make([]*rule, len(d.parts))
	left := make([]part, 0, len(d.parts))
	for i := range d.parts {
		if by[i] = d.ignoredBy(&d.parts[i]); len(d.out.Needs) > 0 {
			return
		}
		if by[i] == nil {
			left = append(left, d.parts[i])
		}
	}
	if len(left) == len(d.parts) {
		return
	}
	for i, r := range by {
		if r != nil && !slices.Contains(by[:i], r) {
			d.labelIgnored(r)
		}
	}
	if len(left) == 0 {
		d.ignored = by[0]
		return
	}
	texts := make([]string, len(left))
	for i := range left {
		texts[i] = left[i].text
	}
	if d.parts = left; len(left) == 1 {
		d.parts = nil
	}
	d.takeText(strings.Join(texts, "\n"))
}

// labelIgnored does what else the rule says: it puts on labels.
func (d *decider) labelIgnored(r *rule) {
	d.noteRule(r, true, "it is ignored")
	d.at, d.status = r, decision.Live
	for i := range r.acts {
		if !r.acts[i].TakesAnswer() {
			d.doAct(&r.acts[i], nil)
		}
	}
}

// ignoredBy returns the rule that ignores a text of a row; nil when there is none, or an earlier rule answers the text.
func (d *decider) ignoredBy(p *part) *rule {
	said, reading, hits := d.said, d.reading, d.hits
	d.said, d.reading, d.hits = p.text, match.Read(p.text), p.hits
	defer func() { d.said, d.reading, d.hits = said, reading, hits }()
	if d.isAlwaysAsked() {
		return nil
	}
	for _, r := range d.v.candidateRules(d.when, p.hits) {
		switch {
		case d.statusOf(r) == decision.Paused || d.paused[r.id] != "":
		case r.ignores && !d.statusOf(r).Acts():
		case r.ignores:
			d.at = r
			if ok, _ := d.all(r.conds, nil); ok || len(d.out.Needs) > 0 {
				return r
			}
		case r.Answers && r.looksFor() && p.fulfilsAll(r.conds) && d.statusOf(r).Acts():
			return nil
		}
	}
	return nil
}

// isAlwaysAsked reports whether a rule that is always asked is for what is said.
func (d *decider) isAlwaysAsked() bool {
	return slices.ContainsFunc(d.v.candidateRules(d.when, d.hits), func(r *rule) bool {
		if !r.always || !d.statusOf(r).Acts() {
			return false
		}
		d.at = r
		ok, _ := d.all(r.conds, nil)
		return ok
	})
}

// isIgnored reports whether a rule ignores what is said while one of our people has the conversation: nobody has to see to it.
func (d *decider) isIgnored() bool {
	return d.v.ignores && !d.inTalk() && !d.isAlwaysAsked() && slices.ContainsFunc(d.v.candidateRules(d.when, d.hits), func(r *rule) bool {
		if !r.ignores || !d.statusOf(r).Acts() || d.paused[r.id] != "" {
			return false
		}
		d.at = r
		ok, _ := d.all(r.conds, nil)
		return ok
	})
}

// allIgnored ends the decision about a row of which nothing is left.
func (d *decider) allIgnored() bool {
	if d.ignored == nil {
		return false
	}
	d.winner, d.acted = d.ignored, true
	return true
}

// isIgnoring reports whether the rule ignores messages.
func (r *rule) isIgnoring() bool {
	return r.ignores && r.status.Acts() && slices.Contains(r.whens, grammar.OnMessage)
}
