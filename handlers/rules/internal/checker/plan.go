package checker

import (
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// maxSteps is how many steps a conversation may have.
const maxSteps = 500

// plan is a conversation as a map: where its steps lead, and what was answered on the way.
type plan struct {
	*grammar.Conversation
	steps   map[string]*grammar.Step
	saves   map[string][]*grammar.Step // by the name of an answer: the steps that keep it
	index   map[string]int             // numbers the answers
	said    map[string]map[string]bool // by the name of an answer: see saidFor
	found   map[string]string          // see find
	anytime []string                   // steps that every question may lead to: at_any_step and if_silent
	torn    bool                       // a step is named that there is not, nor one like it
	reached map[string]bool            // steps that the first one leads to
	sure    map[string]answerSet       // by step: what was answered by everybody who comes there
}

// answerSet is a set of answers, by their numbers.
type answerSet [(maxSteps + 63) / 64]uint64

func (a *answerSet) add(n int) { a[n/64] |= 1 << (n % 64) }

// shared returns what is in both sets.
func (a answerSet) shared(b answerSet) answerSet {
	for i := range a {
		a[i] &= b[i]
	}
	return a
}

// move is a way from a step to another one.
type move struct {
	to       string
	answered bool // the step's question is answered then
}

func newPlan(conv *grammar.Conversation) *plan {
	p := &plan{
		Conversation: conv, steps: map[string]*grammar.Step{}, saves: map[string][]*grammar.Step{}, index: map[string]int{},
		said: map[string]map[string]bool{}, found: map[string]string{},
	}
	for i := range conv.Steps {
		s := &conv.Steps[i]
		if p.steps[s.ID] == nil {
			p.steps[s.ID] = s
		}
		if s.SaveAs != "" {
			if p.saves[s.SaveAs] == nil {
				p.index[s.SaveAs] = len(p.index)
			}
			p.saves[s.SaveAs] = append(p.saves[s.SaveAs], s)
		}
	}
	for i := range conv.AtAnyStep {
		p.anytime = append(p.anytime, p.find(conv.AtAnyStep[i].Goto))
	}
	for i := range conv.IfSilent {
		if to := conv.IfSilent[i].Goto; to != "" {
			p.anytime = append(p.anytime, p.find(to))
		}
	}
	p.walk()
	return p
}

// find returns the step of a name, or the one that was meant: a slip is told once, not again as steps
// that nobody reaches.
func (p *plan) find(to string) string {
	if p.steps[to] != nil {
		return to
	}
	near, known := p.found[to]
	if !known && len(p.found) < mostNames {
		near = textfile.NearestWord(to, p.stepNames())
		p.found[to] = near
	}
	p.torn = p.torn || near == ""
	return near
}

// answerNames returns the names of the answers.
func (p *plan) answerNames() []string { return slices.Sorted(maps.Keys(p.saves)) }

// saidNames returns how what was said is written, by the names of the answers.
func (p *plan) saidNames() []string {
	if p == nil {
		return nil
	}
	names := p.answerNames()
	for i := range names {
		names[i] += grammar.SaidSuffix
	}
	return names
}

// stepNames returns the steps as they are written.
func (p *plan) stepNames() []string {
	names := make([]string, len(p.Steps))
	for i := range p.Steps {
		names[i] = p.Steps[i].ID
	}
	return names
}

// moves returns where a step itself may lead.
func (p *plan) moves(s *grammar.Step) []move {
	var moves []move
	if s.Next != nil {
		for i := range s.Next.Branches {
			moves = append(moves, move{p.find(s.Next.Branches[i].Goto), s.Ask != nil})
		}
		for _, to := range s.Next.Choices.All() {
			moves = append(moves, move{p.find(to), s.Ask != nil})
		}
	}
	if s.IfWrong != nil && s.IfWrong.ThenGoto != "" {
		moves = append(moves, move{p.find(s.IfWrong.ThenGoto), false})
	}
	return moves
}

// somewhere stands for the steps that ask something, all of which lead to the same steps at any time.
const somewhere = ""

// walk goes all ways from the first step, and notes what was answered on each of them.
func (p *plan) walk() {
	p.reached, p.sure = map[string]bool{}, map[string]answerSet{}
	if len(p.Steps) == 0 {
		return
	}
	var todo []string
	come := func(to string, with answerSet) {
		if p.reached[to] {
			with = with.shared(p.sure[to])
			if with == p.sure[to] {
				return
			}
		}
		p.reached[to], p.sure[to] = true, with
		todo = append(todo, to)
	}
	come(p.Steps[0].ID, answerSet{})
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == somewhere {
			for _, to := range p.anytime {
				if to != "" {
					come(to, p.sure[somewhere])
				}
			}
			continue
		}
		s, with := p.steps[at], p.sure[at]
		if s.ForgetsAnswers() {
			with = answerSet{}
		}
		if s.Ask != nil {
			come(somewhere, with)
		}
		for _, m := range p.moves(s) {
			if m.to == "" {
				continue // it was told
			}
			then := with
			if n, saves := p.index[s.SaveAs]; saves && m.answered {
				then.add(n)
			}
			come(m.to, then)
		}
	}
}

// isSurelySet reports whether an answer is in a set.
func (p *plan) isSurelySet(set answerSet, name string) bool {
	n, ok := p.index[name]
	return ok && set[n/64]&(1<<(n%64)) != 0
}

// lostSteps returns the steps from which no way leads to an end, as they are written.
func (p *plan) lostSteps() []*grammar.Step {
	back := map[string][]string{}
	var todo []string
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.End != "" || s.Next == nil { // without either it was told
			todo = append(todo, s.ID)
		}
		for _, m := range p.moves(s) {
			back[m.to] = append(back[m.to], s.ID)
		}
		if s.Ask != nil {
			back[somewhere] = append(back[somewhere], s.ID)
		}
	}
	for _, to := range p.anytime {
		back[to] = append(back[to], somewhere)
	}
	out := map[string]bool{}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !out[at] {
			out[at] = true
			todo = append(todo, back[at]...)
		}
	}
	var lost []*grammar.Step
	for i := range p.Steps {
		if s := &p.Steps[i]; !out[s.ID] {
			lost = append(lost, s)
		}
	}
	return lost
}

// findCircle returns steps that lead to each other without a question in between, nil when there are none.
func (p *plan) findCircle() []string {
	const open, done = 1, 2
	state := map[string]int{}
	var path []string
	var visit func(id string) []string
	visit = func(id string) []string {
		s := p.steps[id]
		switch {
		// A question stops it: the person decides whether it goes on. Without one, the engine goes round until it gives up.
		case s == nil || s.Ask != nil || state[id] == done:
			return nil
		case state[id] == open:
			return append(path[slices.Index(path, id):], id)
		}
		state[id] = open
		path = append(path, id)
		for _, m := range p.moves(s) {
			if found := visit(m.to); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		state[id] = done
		return nil
	}
	for i := range p.Steps {
		if found := visit(p.Steps[i].ID); found != nil {
			return found
		}
	}
	return nil
}
