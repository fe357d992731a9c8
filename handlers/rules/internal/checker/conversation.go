package checker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// checkConversation checks a conversation.
func (c *checker) checkConversation(f *grammar.File, conv *grammar.Conversation) {
	if c.SoundHead(f) {
		c.checkLaxer(conv.At, "conversation", "file", conv.Status, f.StatusOf())
	}
	c.checkLimits(conv.Limits.At, conv.Limits)
	if len(conv.Start.When) > 0 { // else the limits of the rule that starts it count
		c.perPerson(f, conv.At, conv.Limits)
	}
	switch n := len(conv.Steps); {
	case n == 0:
		c.add(conv.At, "there are no steps: write for example - id: ask-date")
		return
	case n > maxSteps:
		c.add(conv.At, "this conversation has %d steps, and may have %d: make several of it", n, maxSteps)
		return
	}
	p := newPlan(conv)
	s := &scene{file: f, plan: p, public: slices.ContainsFunc(conv.Start.When, maybePublic)}
	c.begins(f, conv)
	c.stepIDs(p)
	c.anyStep(f, p)
	c.ifSilent(s)
	for i := range conv.Steps {
		c.checkStep(s, &conv.Steps[i])
	}
	c.saveNames(p)
	c.ways(p)
	c.chats(p)
	if conv.TakeFromStart {
		c.checkTakes(conv)
	}
}

// begins checks what starts a conversation.
func (c *checker) begins(f *grammar.File, conv *grammar.Conversation) {
	start := &conv.Start
	c.takenByStop(start.When, start.If)
	for _, w := range start.When {
		if w == grammar.OnNoMatch || w == grammar.OnSilence || w == grammar.OnHeldBack {
			c.add(start.At, "start: a conversation cannot begin with %s; a rule can, with start: %s", w, conv.ID)
		}
	}
	if len(start.When) == 0 {
		if start.Line > 0 {
			c.add(start.At, "start: when is empty: write what happens, for example message")
		} else if !c.started[conv.ID] && !c.Cut && !c.AnySpoiled() {
			c.noteHint(conv.At, "nothing starts this conversation: write start:, or a rule with start: %s", conv.ID)
		}
	}
	c.checkConditions(f, start.If, nil)
	for i := range start.If {
		if cond := &start.If[i]; cond.NeedsOwner() {
			c.notInSteps(cond.Conversation)
		}
	}
	c.aboutWhens(&grammar.Rule{At: start.At, When: start.When, If: start.If})
}

// stepIDs checks that every step has a name of its own.
func (c *checker) stepIDs(p *plan) {
	lines := map[string]int{}
	for i := range p.Steps {
		s := &p.Steps[i]
		if !c.validID(s.At, "id", s.ID) {
			continue
		}
		if line := lines[s.ID]; line > 0 {
			c.add(s.At, "there is a step %q on line %d already: give this one another id", s.ID, line)
			continue
		}
		lines[s.ID] = s.Line
	}
}

// checkLeads checks that there is a step.
func (c *checker) checkLeads(p *plan, at textfile.At, where, to string) {
	if p.steps[to] == nil {
		c.checkKnown(at, where, "step", to, p.stepNames(), "Steps are "+enumerateSome(p.stepNames()))
	}
}

// anyStep checks what is looked at before the step itself.
func (c *checker) anyStep(f *grammar.File, p *plan) {
	for i := range p.AtAnyStep {
		a := &p.AtAnyStep[i]
		c.checkLeads(p, a.At, "at_any_step: ", a.Goto)
		if len(a.If) == 0 {
			c.add(a.At, "at_any_step: without a condition every answer would lead to %s", a.Goto)
		}
		c.checkConditions(f, a.If, p)
	}
}

// ifSilent checks what happens when the person does not answer.
func (c *checker) ifSilent(s *scene) {
	var last *grammar.Silent
	inner := s.sceneIn("if_silent").privateScene()
	// It may be said at any step: only answers that are there at every step may stand in it.
	inner.sure = s.plan.sure[somewhere]
	for i := range s.plan.IfSilent {
		it := &s.plan.IfSilent[i]
		switch {
		case it.Reply == nil && it.Goto == "":
			c.add(it.At, "if_silent: what happens after %s? Write reply or goto", it.After)
		case it.Reply != nil && it.Goto != "":
			c.add(it.At, "if_silent: reply and goto are both there: keep one, and let the step say the text")
		case it.Goto != "":
			c.checkLeads(s.plan, it.At, "if_silent: ", it.Goto)
		}
		switch {
		case it.After <= 0:
			c.add(it.At, "if_silent: after 0 is at once: write for example after: 3h")
		case last != nil && last.Goto != "":
			c.add(it.At, "if_silent: this never comes, since after %s it goes to %s", last.After, last.Goto)
		case last != nil && it.After <= last.After:
			c.add(it.At, "if_silent: after %s comes below after %s: write them in growing order", it.After, last.After)
		}
		c.checkSay(inner, it.Reply)
		last = it
	}
	if last != nil && last.Goto == "" && last.Reply != nil {
		c.noteHint(last.At, "if_silent: who does not answer this either is waited for without an end: add one more with goto")
	}
}

// saveNames checks the names of answers.
func (c *checker) saveNames(p *plan) {
	conditions := []string{"text", "sender", "post", "hours", "conversation", "answers"}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.SaveAs == "" {
			continue
		}
		first := p.saves[s.SaveAs][0]
		switch {
		case slices.Contains(grammar.CommonVariables(), s.SaveAs) || slices.Contains(conditions, s.SaveAs):
			c.add(s.At, "%s → save_as: %q has a meaning already: take another name, for example %s_answer", s.ID, s.SaveAs, s.SaveAs)
		case !validVariable(s.SaveAs):
			c.add(s.At, "%s → save_as: the name %q may have small letters, digits and _ only, for example event_date", s.ID, s.SaveAs)
		case first != s && first.Expect != nil && s.Expect != nil && !slices.Equal(first.Expect.Kinds, s.Expect.Kinds):
			c.add(s.At, "%s → save_as: %s keeps another kind of answer under %q: take another name", s.ID, first.ID, s.SaveAs)
		case first != s && first.Private != s.Private:
			c.add(s.At, "%s → save_as: %q is private in one of %s and %s only: write private: true in both", s.ID, s.SaveAs, first.ID, s.ID)
		}
	}
}

// validVariable reports whether a name can stand in {{…}}.
func validVariable(name string) bool {
	t, err := template.Parse("{{" + name + "}}")
	if err != nil {
		return false
	}
	v := t.Variables()
	return len(v) == 1 && v[0].Name == name && !strings.Contains(name, ".")
}

// ways checks where the steps lead as a whole.
func (c *checker) ways(p *plan) {
	if p.Steps[0].End != "" && p.Steps[0].Next == nil {
		c.add(p.Steps[0].At, "%s: the first step is the end already: a conversation begins with a question", p.Steps[0].ID)
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; !p.reached[s.ID] && !p.torn {
			c.add(s.At, "%s: no step leads here", s.ID)
		}
	}
	for _, s := range p.lostSteps() {
		if !p.torn {
			c.add(s.At, "%s: no way from here leads to an end", s.ID)
		}
	}
	if circle := p.findCircle(); circle != nil {
		c.add(p.steps[circle[0]].At, "%s: these steps follow each other without a question, and would never stop", strings.Join(circle, " → "))
	}
	c.waits(p)
}

// waits finds the steps that wait for an answer for ever.
func (c *checker) waits(p *plan) {
	if len(p.IfSilent) > 0 {
		return
	}
	var first *grammar.Step
	others := 0
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Ask == nil || s.IfWrong != nil && s.IfWrong.ThenGoto != "" {
			continue
		}
		if first == nil {
			first = s
		} else {
			others++
		}
	}
	if first == nil {
		return
	}
	where := first.ID
	if others > 0 {
		where = fmt.Sprintf("%s and %d more", where, others)
	}
	c.add(first.At, "%s: who does not answer is waited for without an end: write if_silent, for example [{ after: 24h, goto: %s }]", where, p.someEnd())
}

// someEnd returns a step that ends the conversation.
func (p *plan) someEnd() string {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.End != "" && s.Handoff == nil {
			return s.ID
		}
	}
	return "gave-up"
}

// chats checks the tests of a conversation.
func (c *checker) chats(p *plan) {
	for i := range p.Tests {
		t := &p.Tests[i]
		if len(t.Chat) == 0 {
			c.add(t.At, "this test has no lines: write for example { them: \"hello\", at: %s }", p.Steps[0].ID)
		}
		for j := range t.Chat {
			line := &t.Chat[j]
			switch {
			case len(line.Them) == 0 && !line.Media && line.Wait == 0:
				c.add(line.At, "nothing happens in this line: write them: with what they write, media: true for a picture, or wait: 3h")
			case len(line.Them) > 0 && line.Wait != 0:
				c.add(line.At, "them and wait are both there: make two lines of it")
			case line.Media && line.Wait != 0:
				c.add(line.At, "media and wait are both there: make two lines of it")
			case line.Silent && line.Says != "":
				c.add(line.At, "says and no_reply contradict each other")
			}
			if line.Step != "" {
				c.checkLeads(p, line.At, "at: ", line.Step)
			}
		}
	}
}
