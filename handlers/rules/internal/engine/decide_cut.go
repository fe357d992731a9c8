package engine

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
)

// Two questions in one message are decided about like two messages in a row. A message is left whole when the cut leaves a part that no rule is for by
// itself: half a sentence would be answered in place of what was meant.

// cut makes the questions of each message known one by one.
func (d *decider) cut() {
	if d.when != grammar.OnMessage || len(d.hits) == 0 {
		return
	}
	reads := d.readsParts()
	if len(d.hits) < 2 && reads == nil { // one thing is asked for at most
		return
	}
	whole := d.parts
	if len(whole) == 0 {
		whole = []part{{id: d.event.ID, text: d.said, hits: d.hits}}
	}
	var all []part
	for i := range whole {
		all = append(all, d.cutOne(whole[i], reads)...)
	}
	if len(all) > len(whole) && len(all) <= mostParts {
		d.parts = all
	}
}

// cutOne returns the parts of a message, or it alone.
func (d *decider) cutOne(p part, reads func(part) bool) []part {
	said := language.SplitQuestions(p.text)
	if len(said) < 2 {
		return []part{p}
	}
	parts := make([]part, len(said))
	for i, s := range said {
		parts[i] = part{id: p.id, text: s, hits: d.v.Texts.Match(language.Read(s), nil)}
		if !d.ledByItself(&parts[i]) && (reads == nil || !reads(parts[i])) {
			return []part{p}
		}
	}
	return parts
}

// ledByItself reports whether a rule that answers messages is for a part by itself.
func (d *decider) ledByItself(p *part) bool {
	return slices.ContainsFunc(p.hits, func(n int) bool {
		r := d.v.first[n]
		return r != nil && r.Answers && slices.Contains(r.whens, grammar.OnMessage) && r.looksFor() && p.fulfilsAll(r.conds)
	})
}

// readsParts returns what tells whether a part is an answer to the step in which the conversation stands, where rules may answer what is none; nil
// elsewhere.
func (d *decider) readsParts() func(part) bool {
	t, _, ok := d.currentConversation()
	if !ok || !t.AnswerFAQ || !d.inTalk() {
		return nil
	}
	s := t.Steps[d.state.Flow.State]
	if s == nil || s.Expect == nil || slices.Contains(s.Expect.Kinds, grammar.ExpectText) {
		return nil
	}
	d.enterConversation(t)
	return func(p part) bool {
		parts, said, reading := d.parts, d.said, d.reading
		d.parts = []part{p}
		ok := s.readsRow(d, 0, 0)
		d.parts, d.said, d.reading = parts, said, reading
		return ok
	}
}
