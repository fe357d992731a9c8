package bot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/conversation"
)

// Flow leads a conversation through states; D is what it remembers on the way.
type Flow[D any] = conversation.Flow[*Turn, D]

// FlowDefinition, State and Transition are what a Flow is made of; see package conversation.
type (
	FlowDefinition[D any] = conversation.Definition[*Turn, D]
	FlowState[D any]      = conversation.FlowState[*Turn, D]
	FlowTransition[D any] = conversation.Transition[*Turn, D]
)

// NewFlow checks the definition and makes the flow. The name is stored with each conversation and
// must stay the same.
func NewFlow[D any](name string, def FlowDefinition[D]) (*Flow[D], error) {
	return conversation.NewFlow[*Turn, D](name, def)
}

// MustFlow is NewFlow for a program's own flows: it panics when the definition is wrong.
func MustFlow[D any](name string, def FlowDefinition[D]) *Flow[D] {
	return conversation.MustFlow[*Turn, D](name, def)
}

// StartFlow begins a flow in the turn's conversation, in place of the one it stands in.
func StartFlow[D any](t *Turn, f *Flow[D], data D) error {
	if err := t.withPerson("start a flow"); err != nil {
		return err
	}
	t.endFlow()
	in, effects, err := f.Start(t, data, t.Now)
	if err != nil {
		return err
	}
	t.applyEffects(f, in, effects)
	return nil
}

// flowInput gives the event to the flow; it reports whether the flow let it pass.
func (t *Turn) flowInput(m Machine) (passed bool, err error) {
	in, effects, err := m.Input(t, t.Conversation.Flow, t.Now)
	if err != nil {
		return false, err
	}
	t.applyEffects(m, in, effects)
	return effects.Outcome == conversation.Passed || effects.Outcome == conversation.Orphaned, nil
}

// flowDue tells a flow that its timer fired.
func (t *Turn) flowDue(m Machine) error {
	t.route = t.Trigger.Timer.Name
	in := t.Conversation.Flow
	if m == nil || in.Flow != m.Name() {
		t.Note("the timer of a flow that the conversation has left")
		return nil
	}
	// The timer knows better: it was set with the state, and pulled in when the clock was set back since.
	if set := t.Trigger.Timer.Set; !set.IsZero() && in.Since.After(set) { //mutate:pull-in-flow
		in.Since = set
	}
	next, effects, err := m.Due(t, in, t.Now)
	if err != nil {
		return err
	}
	t.applyEffects(m, next, effects)
	return nil
}

// applyEffects takes over what a step of a flow led to.
func (t *Turn) applyEffects(m Machine, in conversation.Instance, e conversation.Effects) {
	t.Note("flow %s: %s %s → %s", m.Name(), e.Outcome, e.From, e.To)
	if e.Outcome != conversation.Passed || e.Ended {
		t.Conversation.Flow, t.changed = in, true
	}
	switch {
	case !e.SetTimer.IsZero():
		t.After(e.SetTimer.Sub(t.Now), m.Timer())
	case e.CancelTimer:
		t.Cancel(m.Timer())
	}
	if e.Ended {
		t.Conversation.Flow = conversation.Instance{}
	}
}

// endFlow takes the conversation out of its flow.
func (t *Turn) endFlow() {
	if in := t.Conversation.Flow; in.Active() {
		t.Note("left flow %s in state %s", in.Flow, in.State)
		t.Cancel(fmt.Sprintf("flow/%s", in.Flow))
		t.Conversation.Flow, t.changed = conversation.Instance{}, true
	}
}

// flowSet are the flows of a bot, by name.
type flowSet map[string]Machine

// newFlowSet puts flows together. Two of one name are an error.
func newFlowSet(machines []Machine) (flowSet, error) {
	fs := flowSet{}
	for _, m := range machines {
		if fs[m.Name()] != nil {
			return nil, fmt.Errorf("two flows are named %q", m.Name())
		}
		fs[m.Name()] = m
	}
	return fs, nil
}

// ofTimer returns the flow that a timer belongs to, false for one of another kind or of a flow that is gone.
func (fs flowSet) ofTimer(timer string) (Machine, bool) {
	name, ok := strings.CutPrefix(timer, flowTimers)
	if !ok {
		return nil, false
	}
	m, ok := fs[name]
	return m, ok
}

// orphan is a kept state that this program knows no more.
type orphan struct {
	conversation.Count
	flowGone bool // the whole flow is gone, not only the state
}

// String says what is wrong and what to do.
func (o orphan) String() string {
	if o.flowGone {
		return fmt.Sprintf("%d conversations are in flow %q (state %q), which this program does not have: put the flow back, or they leave it with their next message",
			o.Conversations, o.Flow, o.State)
	}
	return fmt.Sprintf("%d conversations are in state %q of flow %q, which this program does not have: name the state that takes them over in Renamed, or they leave the flow with their next message",
		o.Conversations, o.State, o.Flow)
}

// orphanStates returns those of the kept states that have no place in this program, ordered by flow and state.
func (fs flowSet) orphanStates(kept []conversation.Count) []orphan {
	var out []orphan
	for _, c := range kept {
		m, ok := fs[c.Flow]
		if !ok {
			out = append(out, orphan{Count: c, flowGone: true})
		} else if _, ok := m.Resolve(c.State); !ok {
			out = append(out, orphan{Count: c})
		}
	}
	slices.SortFunc(out, func(a, b orphan) int {
		return cmp.Or(cmp.Compare(a.Flow, b.Flow), cmp.Compare(a.State, b.State))
	})
	return out
}
