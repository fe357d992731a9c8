package checker

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// checkStep checks a step of a conversation.
func (c *checker) checkStep(s *scene, st *grammar.Step) {
	inner := *s
	inner.where = st.ID + " → "
	inner.sure = s.plan.sure[st.ID]
	c.shape(st)
	c.answerOf(s.file, st)
	c.next(s.plan, s.file, st)
	if st.IfWrong != nil {
		c.ifWrong(&inner, st)
	}
	if !s.plan.reached[st.ID] {
		return // of what was answered there nothing is known
	}
	c.checkSay(inner.sceneIn("say").privateScene(), st.Say)
	c.checkActs(&inner, st.Then)
	if st.ForgetsAnswers() {
		inner.sure = answerSet{}
	}
	if st.Handoff != nil {
		c.checkHandoff(inner.sceneIn("handoff"), st.Handoff)
	}
	c.checkSay(inner.sceneIn("ask").privateScene(), st.Ask)
}

// shape checks which parts a step has.
func (c *checker) shape(st *grammar.Step) {
	gives := st.Handoff != nil || slices.ContainsFunc(st.Then, func(a grammar.Act) bool { return a.Handoff != nil })
	switch {
	case st.Ask != nil && st.Say != nil:
		c.add(st.At, "%s: ask and say are both there: put what is said first into the question, or into a step before", st.ID)
	case st.Ask != nil && gives:
		c.add(st.At, "%s: ask and handoff are both there: who would read the answer? Keep one of them", st.ID)
	case st.Ask != nil && st.Expect == nil:
		c.add(st.At, "%s: what counts as an answer? Write expect, for example expect: text", st.ID)
	case st.Ask == nil && st.Expect != nil:
		c.add(st.At, "%s: expect is there, and no question: write ask in place of say", st.ID)
	case st.Ask == nil && st.SaveAs != "":
		c.add(st.At, "%s: save_as keeps an answer, and there is no question: write ask and expect", st.ID)
	case st.Ask == nil && st.Open:
		c.add(st.At, "%s: open is about the answer, and there is no question: write ask and expect: date or expect: time", st.ID)
	case st.Ask == nil && st.IfWrong != nil:
		c.add(st.At, "%s: if_wrong is about an answer, and there is no question: write ask and expect", st.ID)
	case st.Ask == nil && st.Private:
		c.add(st.At, "%s: private hides an answer, and there is no question", st.ID)
	}
	switch {
	case st.Next != nil && st.End != "":
		c.add(st.At, "%s: next and end are both there: keep one of them", st.ID)
	case st.Next == nil && st.End == "" && gives:
		c.add(st.At, "%s: after a handoff the bot is silent: write end, for example end: handed-over", st.ID)
	case st.Next == nil && st.End == "":
		c.add(st.At, "%s: how does it go on? Write next with a step, or end with a word for the records", st.ID)
	case st.Ask != nil && st.End != "":
		c.add(st.At, "%s: ask and end are both there, so nobody would read the answer: write next, and end in that step", st.ID)
	case gives && st.Next != nil:
		c.add(st.At, "%s: after a handoff the bot is silent: write end in place of next", st.ID)
	}
}

// answerOf checks what a step expects, and where it keeps it.
func (c *checker) answerOf(f *grammar.File, st *grammar.Step) {
	e := st.Expect
	if e == nil {
		return
	}
	where := st.ID + " → expect: "
	if len(e.Kinds) == 0 {
		c.add(e.At, "%snothing is expected: write for example text", where)
	}
	seen := map[grammar.ExpectKind]bool{}
	for i, k := range e.Kinds {
		if seen[k] {
			c.add(e.At, "%s%s is there twice", where, k)
		}
		seen[k] = true
		// Kinds are tried in the order in which they stand, and the first that fits is the answer.
		if k == grammar.ExpectText && i < len(e.Kinds)-1 {
			c.add(e.At, "%severything is a text, so %s is never looked at: put text last", where, e.Kinds[i+1])
		}
	}
	if r := e.Range; r != nil && r.HasMin && r.HasMax && r.Min > r.Max {
		c.add(e.At, "%sno number lies in %s: the smaller one comes first", where, r)
	}
	c.choices(where, e)
	switch {
	case st.Open && !slices.Contains(e.Kinds, grammar.ExpectDate) && !slices.Contains(e.Kinds, grammar.ExpectTime):
		c.add(st.At, "%s: open is about a day or a time: write expect: date or expect: time, or leave it out", st.ID)
	case st.Open && c.Hours(f) == nil:
		c.add(st.At, "%s: open: true needs hours: write when you are at work in settings.yaml, for example open: [Mon-Fri 09:00-18:00]", st.ID)
	}
	byChoice := st.Next != nil && len(st.Next.Choices.Keys) > 0
	if st.SaveAs == "" && !byChoice && st.Ask != nil && !slices.Contains(e.Kinds, grammar.ExpectChoices) {
		c.noteHint(st.At, "%s: the answer is kept nowhere: write save_as with a name for it", st.ID)
	}
}

// mostChoices is how many choices a step may have.
const mostChoices = 100

// choices checks what stands for each choice.
func (c *checker) choices(where string, e *grammar.Expect) {
	if len(e.Choices.Keys) > mostChoices {
		c.add(e.At, "%s%d choices are too many: %d at most", where, len(e.Choices.Keys), mostChoices)
		return
	}
	stands := map[string]string{} // by the text
	for name, texts := range e.Choices.All() {
		at := e.Choices.At(name)
		c.validID(at, "choice", name)
		if len(texts) == 0 {
			c.add(at, "%swhat do people write for %q? For example %s: [%s]", where, name, name, name)
		}
		for _, t := range texts {
			words := grammar.PlainText(t)
			if words == "" {
				c.add(at, "%sthere is no word in %q", where, t)
				continue
			}
			if other, taken := stands[words]; taken && other != name {
				c.add(at, "%s%q stands for both %s and %s", where, t, other, name)
			}
			stands[words] = name
		}
	}
}

// next checks where a step goes on.
func (c *checker) next(p *plan, f *grammar.File, st *grammar.Step) {
	x := st.Next
	if x == nil {
		return
	}
	where := st.ID + " → next: "
	if len(x.Branches) == 0 && len(x.Choices.Keys) == 0 {
		c.add(x.At, "%sit is empty: write the id of a step", where)
	}
	for i := range x.Branches {
		b := &x.Branches[i]
		c.checkLeads(p, b.At, where, b.Goto)
		c.checkConditions(f, b.If, p)
		switch last := i == len(x.Branches)-1; {
		case last && len(b.If) > 0:
			c.add(b.At, "%swhere does it go when none of these holds? Add - goto: without if at the end", where)
		case !last && len(b.If) == 0:
			c.add(x.Branches[i+1].At, "%sthis is never looked at, since the one above has no if", where)
		}
	}
	if len(x.Choices.Keys) > 0 {
		c.byChoice(p, st, where)
	}
}

// byChoice checks the steps by choice.
func (c *checker) byChoice(p *plan, st *grammar.Step, where string) {
	var choices []string
	var other grammar.ExpectKind
	if st.Expect != nil {
		choices = st.ExpectedChoices()
		for _, k := range st.Expect.Kinds {
			if k != grammar.ExpectChoices && k != grammar.ExpectYesNo {
				other = k
			}
		}
	}
	x := st.Next
	switch {
	case len(choices) > mostChoices+2:
		return // it was told
	case len(choices) == 0:
		c.add(x.At, `%sthere are no choices to go by: write one step, or expect: { choices: { correct: ["yes", ok] } }`, where)
		return
	case other != "":
		c.add(x.At, "%swhere does it go when the answer is a %s? Make a step of its own of that question", where, other)
	}
	slip := false
	for choice, to := range x.Choices.All() {
		at := x.Choices.At(choice)
		if !slices.Contains(choices, choice) {
			slip = true
			c.checkKnown(at, where, "choice", choice, choices, "Expect has "+strings.Join(choices, ", "))
		}
		c.checkLeads(p, at, where, to)
	}
	for _, choice := range choices {
		if _, ok := x.Choices.Get(choice); !ok && !slip {
			c.add(x.At, "%swhere does it go for %q? Add %s: with a step", where, choice, asKey(choice))
		}
	}
}

// asKey returns a choice as a key is written.
func asKey(choice string) string {
	if choice == "yes" || choice == "no" {
		return `"` + choice + `"` // without quotes some tools read it as true and false
	}
	return choice
}

// ifWrong checks what happens after an answer that was not expected.
func (c *checker) ifWrong(s *scene, st *grammar.Step) {
	w := st.IfWrong
	where := st.ID + " → if_wrong: "
	if w.ThenGoto != "" {
		c.checkLeads(s.plan, w.At, where, w.ThenGoto)
	}
	switch {
	case w.Say == nil && w.ThenGoto == "":
		c.add(w.At, "%swhat happens then? Write say, then_goto, or both", where)
	case w.Times < 0:
		c.add(w.At, "%stimes: write how often it is said, for example 2", where)
	}
	if s.plan.reached[st.ID] {
		c.checkSay(s.sceneIn("if_wrong").privateScene(), w.Say)
	}
}

// checkAnswer checks a condition on an answer.
func (c *checker) checkAnswer(p *plan, a *grammar.AnswerNamed) {
	steps := p.saves[a.Name]
	if steps == nil {
		known := append([]string{"text", "sender", "post", "hours", "conversation"}, p.answerNames()...)
		c.checkKnown(a.At, "", "condition or answer", a.Name, known, "Answers are kept by save_as")
		return
	}
	for _, st := range steps {
		if st.Expect == nil {
			return
		}
	}
	switch {
	case a.Range != nil:
		if !expects(steps, grammar.ExpectNumber) && !expects(steps, grammar.ExpectText) {
			c.add(a.At, "%s is no number, so it is never %s: %s expects %s", a.Name, a.Range, steps[0].ID, steps[0].Expect.Kinds[0])
		}
	case expectsOnly(steps, grammar.ExpectChoices, grammar.ExpectYesNo):
		c.choiceMeant(p, a, steps)
	}
}

// choiceMeant checks that a condition on a choice names one.
func (c *checker) choiceMeant(p *plan, a *grammar.AnswerNamed, steps []*grammar.Step) {
	said := p.saidFor(a.Name)
	for _, is := range a.Is {
		if said[grammar.PlainText(is)] || said[is] || c.isFull(a.File) {
			continue
		}
		var choices []string
		for _, st := range steps {
			choices = append(choices, st.ExpectedChoices()...)
		}
		c.checkKnown(a.At, a.Name+": ", "choice", is, choices, "There are "+enumerateSome(choices))
	}
}

// saidFor returns the choices that an answer may be, and the texts that stand for them.
func (p *plan) saidFor(answer string) map[string]bool {
	if said := p.said[answer]; said != nil {
		return said
	}
	said := map[string]bool{}
	for _, st := range p.saves[answer] {
		for _, choice := range st.ExpectedChoices() {
			said[choice] = true
		}
		for _, texts := range st.Expect.Choices.All() {
			for _, t := range texts {
				said[grammar.PlainText(t)] = true
			}
		}
	}
	p.said[answer] = said
	return said
}

func expects(steps []*grammar.Step, kind grammar.ExpectKind) bool {
	return slices.ContainsFunc(steps, func(st *grammar.Step) bool { return slices.Contains(st.Expect.Kinds, kind) })
}

func expectsOnly(steps []*grammar.Step, kinds ...grammar.ExpectKind) bool {
	return !slices.ContainsFunc(steps, func(st *grammar.Step) bool {
		return slices.ContainsFunc(st.Expect.Kinds, func(k grammar.ExpectKind) bool { return !slices.Contains(kinds, k) })
	})
}
