package rules

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/handlers/language"
)

// flowPrefix begins the names of the flows that conversations of rule files are.
const flowPrefix = "rules."

// talk is a conversation with steps, ready to be led.
type talk struct {
	*Conversation
	rule  *rule // its start
	flow  *conversation.Flow[*decider, Progress]
	any   []anyStep
	steps map[string]*step
	merge time.Duration
}

type anyStep struct {
	conds []cond
	to    string
}

// step is a step ready to be taken.
type step struct {
	*Step
	talk     *talk
	branches []branch
	choices  *language.Index // what stands for each choice, in their order
}

type branch struct {
	conds []cond
	to    string
}

// conversation compiles a conversation, and returns the rule that starts it.
func (v *Version) conversation(f *File, c *Conversation) (*rule, error) {
	r := &rule{
		at: c.At, id: c.ID, file: f, scope: v.scope(f), status: c.Status.atMost(f.status()), whens: c.Start.When,
		conds: v.conditions(c.Start.If), limits: f.limits(c.Limits), merge: f.merge(c.MergeMessages),
		replyAfter: f.replyAfter(c.ReplyAfter), answerWithin: f.answerWithin(c.AnswerWithin), answers: true, matches: true,
	}
	t := &talk{Conversation: c, rule: r, steps: map[string]*step{}, merge: r.merge}
	r.talk = t
	for i := range c.AtAnyStep {
		t.any = append(t.any, anyStep{v.conditions(c.AtAnyStep[i].If), c.AtAnyStep[i].Goto})
	}
	def := conversation.Definition[*decider, Progress]{}
	for i := range c.Steps {
		s, err := v.step(t, &c.Steps[i])
		if err != nil {
			return nil, err
		}
		t.steps[s.ID] = s
		state := conversation.FlowState[*decider, Progress]{Name: s.ID, Enter: s.enter, Final: s.End != ""}
		if s.Ask != nil {
			state.Handle = s.handle
		}
		def.States = append(def.States, state)
		def.Transitions = append(def.Transitions, conversation.Transition[*decider, Progress]{
			From: conversation.Anywhere, On: conversation.Signal(s.ID), To: s.ID,
		})
	}
	var err error
	if t.flow, err = conversation.NewFlow(flowPrefix+c.ID, def); err != nil {
		return nil, err
	}
	v.talks[c.ID] = t
	return r, nil
}

func (v *Version) step(t *talk, s *Step) (c *step, err error) {
	c = &step{Step: s, talk: t}
	if s.Next != nil {
		for i := range s.Next.Branches {
			b := &s.Next.Branches[i]
			c.branches = append(c.branches, branch{v.conditions(b.If), b.Goto})
		}
	}
	if s.Expect != nil && s.Expect.Choices.Len() > 0 {
		var patterns []language.Pattern
		for _, texts := range s.Expect.Choices.All() {
			patterns = append(patterns, language.Pattern{AnyPhrase: texts})
		}
		c.choices, err = language.NewIndex(patterns)
	}
	return c, err
}

// wrongTimes is how often a wrong answer is told unless written.
const wrongTimes = 2

// patience returns how often a wrong answer is told before it goes on elsewhere.
func (s *step) patience() int {
	if s.IfWrong == nil || s.IfWrong.Times == 0 {
		return wrongTimes
	}
	return s.IfWrong.Times
}

// silence returns the n-th thing to do when the person does not answer.
func (t *talk) silence(n int) (*Silent, bool) {
	if n >= len(t.IfSilent) {
		return nil, false
	}
	return &t.IfSilent[n], true
}

// next returns the step after an answer.
func (s *step) next(d *decider, p *Progress, choice string) string {
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
