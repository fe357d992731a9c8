package engine

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
)

// FlowPrefix begins the names of the flows that conversations of rule files are.
const FlowPrefix = "rules."

// ledConversation is a conversation with steps, ready to be led.
type ledConversation struct {
	*grammar.Conversation
	Rule  *rule // its start
	flow  *conversation.Flow[*decider, decision.Progress]
	any   []anyStep
	Steps map[string]*Step
	merge time.Duration
}

type anyStep struct {
	conds []cond
	to    string
}

// Step is a step ready to be taken.
type Step struct {
	*grammar.Step
	Led      *ledConversation
	branches []branch
	choices  *match.Index  // what stands for each choice, in their order
	named    match.Phrases // all of it
}

type branch struct {
	conds []cond
	to    string
}

// compileConversation compiles a conversation, and returns the rule that starts it.
func (v *Version) compileConversation(f *grammar.File, c *grammar.Conversation) (*rule, error) {
	r := &rule{
		At: c.At, id: c.ID, File: f, Scope: v.compileScope(f), status: grammar.MoreCareful(c.Status, f.StatusOf()), whens: c.Start.When,
		conds: v.compileConditions(c.Start.If), limits: f.LimitsOf(c.Limits), merge: f.MergeOf(c.MergeMessages),
		replyAfter: f.ReplyAfterOf(c.ReplyAfter), answerWithin: f.AnswerWithinOf(c.AnswerWithin), Answers: true, matches: true,
	}
	t := &ledConversation{Conversation: c, Rule: r, Steps: map[string]*Step{}, merge: r.merge}
	r.led = t
	for i := range c.AtAnyStep {
		t.any = append(t.any, anyStep{v.compileConditions(c.AtAnyStep[i].If), c.AtAnyStep[i].Goto})
	}
	def := conversation.Definition[*decider, decision.Progress]{}
	for i := range c.Steps {
		s, err := v.compileStep(t, &c.Steps[i])
		if err != nil {
			return nil, err
		}
		t.Steps[s.ID] = s
		state := conversation.FlowState[*decider, decision.Progress]{Name: s.ID, Enter: s.enterStep, Final: s.End != ""}
		if s.Ask != nil {
			state.Handle = s.handle
		}
		def.States = append(def.States, state)
		def.Transitions = append(def.Transitions, conversation.Transition[*decider, decision.Progress]{
			// From anywhere: where a step leads is decided by its answers, at_any_step and if_silent, and may be any other one.
			From: conversation.Anywhere, On: conversation.Signal(s.ID), To: s.ID,
		})
	}
	var err error
	if t.flow, err = conversation.NewFlow(FlowPrefix+c.ID, def); err != nil {
		return nil, err
	}
	v.Conversations[c.ID] = t
	return r, nil
}

func (v *Version) compileStep(t *ledConversation, s *grammar.Step) (c *Step, err error) {
	c = &Step{Step: s, Led: t}
	if s.Next != nil {
		for i := range s.Next.Branches {
			b := &s.Next.Branches[i]
			c.branches = append(c.branches, branch{v.compileConditions(b.If), b.Goto})
		}
	}
	if s.Expect != nil && len(s.Expect.Choices.Keys) > 0 {
		var patterns []match.Pattern
		for _, texts := range s.Expect.Choices.All() {
			patterns = append(patterns, match.Pattern{AnyPhrase: texts})
			c.named = append(c.named, match.NewPhrases(texts...)...)
		}
		c.choices, err = match.NewIndex(patterns)
	}
	return c, err
}

// wrongTimes is how often a wrong answer is told unless written.
const wrongTimes = 2

// patienceCount returns how often a wrong answer is told before it goes on elsewhere.
func (s *Step) patienceCount() int {
	if s.IfWrong == nil || s.IfWrong.Times == 0 {
		return wrongTimes
	}
	return s.IfWrong.Times
}

// nthSilence returns the n-th thing to do when the person does not answer.
func (t *ledConversation) nthSilence(n int) (*grammar.Silent, bool) {
	if n >= len(t.IfSilent) {
		return nil, false
	}
	return &t.IfSilent[n], true
}

// next returns the step after an answer.
func (s *Step) next(d *decider, p *decision.Progress, choice string) string {
	if s.Next == nil {
		return ""
	}
	if to, ok := s.Next.Choices.Get(choice); ok && choice != "" {
		return to
	}
	for i := range s.branches {
		if ok, _ := d.all(s.branches[i].conds, p); ok {
			return s.branches[i].to
		}
	}
	return ""
}
