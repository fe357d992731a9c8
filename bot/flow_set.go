package bot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/conversation"
)

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
