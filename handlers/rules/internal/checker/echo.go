package checker

import (
	"errors"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// mostTries is how often entries that cannot be looked for are left out to find more of them.
const mostTries = 10

// index returns an index of text conditions with the condition of each pattern: of those that some rules
// are found by, and of those with entries of which only the index knows whether they can be looked for.
func (c *checker) index(of map[*grammar.TextCondition]int) (*match.Index, []*grammar.TextCondition) {
	var conds []*grammar.TextCondition
	for _, t := range c.looked {
		if _, ok := of[t]; ok || len(t.Contains)+len(t.Matches) > 0 {
			conds = append(conds, t)
		}
	}
	patterns := make([]match.Pattern, len(conds))
	for i, t := range conds {
		patterns[i] = t.Pattern()
	}
	for range mostTries {
		x, err := match.NewIndex(patterns)
		if err == nil {
			return x, conds
		}
		var wrong *match.PatternError
		if !errors.As(err, &wrong) {
			return nil, nil
		}
		i := wrong.Pattern
		// The index reports one problem at a time. That pattern is left out, and the rest tried again, so that one save shows all problems.
		c.add(conds[i].At, "%s: %s", shortQuote(wrong.Entry), wrong.Problem)
		conds, patterns = slices.Delete(conds, i, i+1), slices.Delete(patterns, i, i+1)
	}
	return nil, nil
}

// fewEchoes is up to how many answers to one person are no trouble.
const fewEchoes = 5

// findEchoes finds rules that would set each other off for long, if another bot answered with the same
// words.
func (c *checker) findEchoes() {
	c.heldEchoes()
	var heard []*answerer
	number := map[*grammar.TextCondition]int{}
	for _, a := range c.allAnswerers() {
		t := a.wantedText()
		often := a.person != nil && a.person.Max > fewEchoes
		if often && t != nil && a.status != decision.Paused && slices.Contains(a.whens, grammar.OnMessage) && len(a.says) > 0 {
			number[t] = len(heard)
			heard = append(heard, a)
		}
	}
	x, conds := c.index(number)
	if x == nil {
		return
	}
	e := echo{&c.Replies.Replies, x, make([]int, len(conds)), mostHits}
	for i, t := range conds {
		e.whose[i] = -1
		if n, ok := number[t]; ok {
			e.whose[i] = n
		}
	}
	next := make([]int, len(heard)) // which rule each one sets off; -1: none
	for i, a := range heard {
		next[i] = e.setOff(a)
	}
	for _, circle := range circles(next) {
		var names []string
		for _, i := range append(circle, circle[0]) {
			names = append(names, heard[i].id)
		}
		first := heard[circle[0]]
		c.noteHint(first.At, "%s: what it says would set it off again, so another bot that repeats it is answered until per_person (%s) is used up",
			strings.Join(names, " → "), first.person)
	}
}

// heldEchoes finds rules that answer what was held back, again and again: another bot that repeats itself hears them each
// time.
func (c *checker) heldEchoes() {
	for _, a := range c.allAnswerers() {
		if slices.Contains(a.whens, grammar.OnHeldBack) && a.status != decision.Paused && len(a.says) > 0 && a.person != nil && a.person.Max > fewEchoes {
			c.noteHint(a.At, "%s: it answers whatever is held back, so another bot that repeats itself is answered until per_person (%s) is used up", a.id, a.person)
		}
	}
}

// mostHits is how many conditions that hold for texts of rules are looked at in all.
const mostHits = 200_000

// echo finds what the texts of rules would set off.
type echo struct {
	replies *textfile.Map[grammar.Say]
	index   *match.Index
	whose   []int // by pattern: the number of its rule; -1 for none
	hits    int   // how many more are looked at
}

// setOff returns the first rule that every text of a rule would set off; -1 for none.
func (e *echo) setOff(a *answerer) int {
	var all []int
	first := true
	for _, say := range a.says {
		texts := say.Texts
		if say.Saved != "" {
			saved, _ := e.replies.Get(say.Saved)
			texts = saved.Texts
		}
		for i := range texts {
			// The search is bounded, as files are checked with every save. Nothing is said then: no rule is blamed without proof.
			if e.hits <= 0 {
				return -1
			}
			hits := e.index.Match(match.Read(texts[i].FillText(func(string) string { return "" })), nil)
			e.hits -= len(hits)
			if first {
				all, first = hits, false
				continue
			}
			all = slices.DeleteFunc(all, func(n int) bool { return !slices.Contains(hits, n) })
		}
	}
	for _, n := range all {
		if e.whose[n] >= 0 {
			return e.whose[n]
		}
	}
	return -1
}

// circles returns the circles of a graph in which every node leads to one other at most.
func circles(next []int) [][]int {
	var found [][]int
	seen := make([]int, len(next)) // the walk in which a node was seen, from 1
	for start := range next {
		at := start
		for at >= 0 && seen[at] == 0 {
			seen[at] = start + 1
			at = next[at]
		}
		if at < 0 || seen[at] != start+1 {
			continue
		}
		circle := []int{at}
		for n := next[at]; n != at; n = next[n] {
			circle = append(circle, n)
		}
		found = append(found, circle)
	}
	return found
}
