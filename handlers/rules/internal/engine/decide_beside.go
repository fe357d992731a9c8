package engine

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// A burst may have the answer to a step and a question of theirs: the rules answer the question first, where they may
// do that between the steps at all, and then the step goes on.

// besideAnswer lets rules answer what is no part of the answer to the step.
func (d *decider) besideAnswer(t *ledConversation) {
	if !t.AnswerFAQ || !d.hasSeveralParts() {
		return
	}
	s := t.Steps[d.state.Flow.State]
	of, row := s.partsOfAnswer(d)
	if !slices.Contains(of, false) { //mutate:beside-answer
		return
	}
	d.keepPrivate(s)
	d.besideStep(t, of)
	d.enterConversation(t)
	switch {
	case row == "":
	case d.othersLed(t.Rule):
		d.said, d.reading = row, match.Read(row)
	default: // it is no answer, as one text
		d.joins = false
		for i := range d.parts {
			d.parts[i].rule = nil
		}
	}
}

// othersLed reports whether a text has led to another rule.
func (d *decider) othersLed(r *rule) bool {
	return slices.ContainsFunc(d.parts, func(p part) bool { return p.rule != nil && p.rule != r })
}

// besideAny does the same for what is looked at before the step itself. What leads to a team stands alone.
func (d *decider) besideAny(t *ledConversation, a *anyStep) {
	if to := t.Steps[a.to]; t.AnswerFAQ && d.hasSeveralParts() && to != nil && to.Handoff == nil {
		d.besideStep(t, d.partsOf(a.conds))
		d.enterConversation(t)
	}
}

// besideStep lets rules answer the texts of a burst that are no part of the answer to a step, before the step goes on.
func (d *decider) besideStep(t *ledConversation, of []bool) {
	if !slices.Contains(of, false) {
		return
	}
	d.giveParts(of, func(p *part) **rule { return &p.rule }, t.Rule)
	winner := d.winner
	d.winner, d.beside, d.joins = t.Rule, true, true
	d.rulesOn(d.when)
	d.beside = false
	if d.winner = winner; d.alone != nil {
		d.winner = d.alone
	}
}

// partsOfAnswer returns which texts of a burst are the answer to a step; all of them when the step takes everything, or
// takes none. Where the burst as one text is no answer, and one row of texts is, it returns that row, too: the step
// takes it when the others are answered by rules.
func (s *Step) partsOfAnswer(d *decider) (of []bool, row string) {
	of = make([]bool, len(d.parts))
	if s.Expect == nil || slices.Contains(s.Expect.Kinds, grammar.ExpectText) {
		return allUnlessSome(of), ""
	}
	said, reading := d.said, d.reading
	whole := s.readsRow(d, 0, len(of)-1)
	rows := d.markRows(of, func(from, to int) bool { return s.readsRow(d, from, to) })
	d.said, d.reading = said, reading
	switch {
	case whole:
	case len(rows) == 1:
		row = d.rowText(rows[0][0], rows[0][1])
	default:
		clear(of)
	}
	return allUnlessSome(of), row
}

// PictureText is what the platform gives as the text of a picture.
const PictureText = "Image"

// readsRow reports whether a row of texts would be an answer to the step. What it reads stays with the decider.
func (s *Step) readsRow(d *decider, from, to int) bool {
	d.said = d.rowText(from, to)
	d.reading = match.Read(d.said)
	for _, kind := range s.Expect.Kinds {
		if kind == grammar.ExpectMedia {
			if d.event.Image != "" && slices.ContainsFunc(d.parts[from:to+1], func(p part) bool { return p.text == "" || p.text == PictureText }) {
				return true
			}
		} else if s.readAs(d, kind, &decision.Answer{}) {
			return true
		}
	}
	return false
}
