package checker

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// answerer is what may give the answer to an event: a rule, or the start of a conversation.
type answerer struct {
	textfile.At
	id      string
	status  decision.Status
	whens   []grammar.When
	conds   grammar.Conditions
	within  time.Duration
	pauses  bool // it may stop itself, and then others answer
	answers bool
	says    []*grammar.Say // what a rule says; the start of a conversation is not set off twice
	person  *text.Limit
	reasons []grammar.HeldReason // with when: held_back; nil for all
}

// allAnswerers returns all that could be read, as people read them.
func (c *checker) allAnswerers() []*answerer {
	var all []*answerer
	for _, f := range c.Files {
		var found []*answerer
		sound := c.SoundIn(f)
		for i := range f.Rules {
			if r := &f.Rules[i]; sound(r.At) {
				found = append(found, answererOf(f, r))
			}
		}
		for i := range f.Conversations {
			if conv := &f.Conversations[i]; sound(conv.At) && len(conv.Start.When) > 0 {
				found = append(found, starterOf(f, conv))
			}
		}
		slices.SortStableFunc(found, func(a, b *answerer) int { return cmp.Compare(a.Line, b.Line) })
		all = append(all, found...)
	}
	return all
}

func answererOf(f *grammar.File, r *grammar.Rule) *answerer {
	a := &answerer{
		At: r.At, id: r.ID, status: grammar.MoreCareful(r.Status, f.StatusOf()), whens: r.When, conds: r.If,
		within: f.AnswerWithinOf(r.AnswerWithin), pauses: r.IfTooMany != nil, person: f.LimitsOf(r.Limits).PerPerson,
		reasons: r.Reason,
	}
	for i := range r.Then {
		act := &r.Then[i]
		a.answers = a.answers || act.TakesAnswer()
		if act.Reply != nil || act.Message != nil {
			a.says = append(a.says, cmp.Or(act.Reply, act.Message))
		}
	}
	return a
}

func starterOf(f *grammar.File, conv *grammar.Conversation) *answerer {
	return &answerer{
		At: conv.At, id: conv.ID, status: grammar.MoreCareful(conv.Status, f.StatusOf()), whens: conv.Start.When, conds: conv.Start.If,
		within: f.AnswerWithinOf(conv.AnswerWithin), answers: true,
	}
}

// Bounds of the search for rules that an earlier one shadows.
const (
	mostLooked = 16     // earlier rules that each rule is compared with
	mostPairs  = 40_000 // comparisons of texts in all
)

// findShadowed finds rules that never answer, since an earlier one always does.
func (c *checker) findShadowed() {
	x := shadowIndex{byWord: map[string][]*answerer{}, pairs: mostPairs}
	for _, a := range c.allAnswerers() {
		if !a.answers || a.status == decision.Paused || len(a.whens) == 0 {
			continue
		}
		if by := x.find(a); by != nil && (a.id != by.id || !c.tellTwins(a.File, by.File)) {
			report := c.add
			if !by.status.Acts() || !a.status.Acts() {
				report = c.noteHint // it comes true with the next step of the ladder
			}
			report(a.At, "%s never answers, since %s (%s, line %d) answers before it whenever it could: put this one above it", a.id, by.id, by.File, by.Line)
			continue
		}
		if !a.pauses {
			x.add(a)
		}
	}
}

// shadowIndex finds earlier rules that may shadow another one.
type shadowIndex struct {
	byWord  map[string][]*answerer // by a word that they look for
	parts   []*answerer            // that look for parts of words and patterns
	general []*answerer            // that look for nothing
	pairs   int                    // comparisons left
}

func (x *shadowIndex) add(a *answerer) {
	t := a.wantedText()
	if t == nil {
		x.general = appendFew(x.general, a)
		return
	}
	if len(t.Contains)+len(t.Matches) > 0 {
		x.parts = appendFew(x.parts, a)
	}
	seen := map[string]bool{}
	for _, e := range slices.Concat(t.AnyWord, t.AnyPhrase) {
		for _, w := range bot.Words(e) {
			if !seen[w] {
				seen[w] = true
				x.byWord[w] = appendFew(x.byWord[w], a)
			}
		}
	}
}

func appendFew(list []*answerer, a *answerer) []*answerer {
	if len(list) == mostLooked {
		return list
	}
	return append(list, a)
}

// wantedText returns the first text condition that looks for something, nil when none does.
func (a *answerer) wantedText() *grammar.TextCondition {
	for i := range a.conds {
		if t := a.conds[i].Text; t != nil && t.IsPositive() {
			return t
		}
	}
	return nil
}

// find returns an earlier rule that answers whenever this one could, nil when none is known.
func (x *shadowIndex) find(a *answerer) *answerer {
	near := [][]*answerer{x.general}
	if a.wantedText() != nil {
		near = append(near, x.parts)
	}
	for i := range a.conds {
		t := a.conds[i].Text
		if t == nil || len(t.AnyWord)+len(t.AnyPhrase) == 0 {
			continue
		}
		for _, w := range bot.Words(slices.Concat(t.AnyWord, t.AnyPhrase)[0]) {
			near = append(near, x.byWord[w])
		}
	}
	for _, list := range near {
		for _, by := range list {
			if x.isShadowing(by, a) {
				return by
			}
		}
	}
	return nil
}

// isShadowing reports whether one rule answers whenever another one could.
func (x *shadowIndex) isShadowing(by, a *answerer) bool {
	if !by.status.Acts() && a.status.Acts() || by.within < a.within {
		return false
	}
	for _, w := range a.whens {
		if !slices.Contains(by.whens, w) {
			return false
		}
	}
	if len(by.reasons) > 0 && (len(a.reasons) == 0 || slices.ContainsFunc(a.reasons, func(h grammar.HeldReason) bool { return !slices.Contains(by.reasons, h) })) {
		return false // it is for what was held back for other reasons, too
	}
	for i := range by.conds {
		if !x.implied(&by.conds[i], a.conds) {
			return false
		}
	}
	return true
}

// implied reports whether a condition holds whenever some others do.
func (x *shadowIndex) implied(cond *grammar.Condition, by grammar.Conditions) bool {
	some := func(implies func(other *grammar.Condition) bool) bool {
		for i := range by {
			if implies(&by[i]) {
				return true
			}
		}
		return false
	}
	switch {
	case cond.Hours != "" && !some(func(o *grammar.Condition) bool { return o.Hours == cond.Hours }),
		len(cond.Day) > 0 && !some(func(o *grammar.Condition) bool { return slices.Equal(o.Day, cond.Day) }),
		len(cond.Date) > 0 && !some(func(o *grammar.Condition) bool { return slices.Equal(o.Date, cond.Date) }),
		cond.Sender != nil && !some(func(o *grammar.Condition) bool { return o.Sender != nil && sameParts(*cond.Sender, *o.Sender) }),
		cond.Conversation != nil && !some(func(o *grammar.Condition) bool {
			return o.Conversation != nil && sameParts(*cond.Conversation, *o.Conversation)
		}),
		cond.Post != nil && !some(func(o *grammar.Condition) bool {
			return o.Post != nil && cond.Post.Text == nil && sameParts(*cond.Post, *o.Post)
		}),
		len(cond.Answers) > 0:
		return false
	}
	return cond.Text == nil || some(func(o *grammar.Condition) bool { return o.Text != nil && x.covers(cond.Text, o.Text) })
}

// covers reports whether one text condition holds whenever another one does.
func (x *shadowIndex) covers(t, other *grammar.TextCondition) bool {
	if x.pairs == 0 {
		return false
	}
	x.pairs--
	return t.Pattern().CoversPattern(other.Pattern())
}

// sameParts reports whether everything that a asks for is asked for by b in the same words.
func sameParts[T any](a, b T) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if _, place := reflect.TypeAssert[textfile.At](x.Field(i)); place || x.Field(i).IsZero() {
			continue
		}
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return false
		}
	}
	return true
}
