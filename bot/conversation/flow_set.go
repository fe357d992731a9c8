package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

const timerPrefix = "flow/"

// Machine is a [Flow] without its data type, so that flows of all kinds can be kept together.
type Machine[T any] interface {
	Name() string
	Timer() string
	Resolve(state string) (string, bool)
	Input(t T, in Instance, now time.Time) (Instance, Effects, error)
	Fire(t T, in Instance, signal Signal, now time.Time) (Instance, Effects, error)
	Due(t T, in Instance, now time.Time) (Instance, Effects, error)
	Mermaid() string
}

// Flows are the flows of a bot, by name.
type Flows[T any] struct {
	byName map[string]Machine[T]
}

// NewFlows puts flows together. Two of one name are an error.
func NewFlows[T any](machines ...Machine[T]) (*Flows[T], error) {
	fs := &Flows[T]{byName: map[string]Machine[T]{}}
	for _, m := range machines {
		if fs.byName[m.Name()] != nil {
			return nil, fmt.Errorf("two flows are named %q", m.Name())
		}
		fs.byName[m.Name()] = m
	}
	return fs, nil
}

// Named returns the flow of a name, as instances keep it.
func (fs *Flows[T]) Named(name string) (Machine[T], bool) {
	m, ok := fs.byName[name]
	return m, ok
}

// OfTimer returns the flow that a timer belongs to, false for one of another kind or of a flow that is gone.
func (fs *Flows[T]) OfTimer(timer string) (Machine[T], bool) {
	name, ok := strings.CutPrefix(timer, timerPrefix)
	if !ok {
		return nil, false
	}
	return fs.Named(name)
}

// Count is how many conversations are kept in a state of a flow.
type Count struct {
	Flow          string
	State         string
	Conversations int
}

// Orphan is a kept state that this program knows no more.
type Orphan struct {
	Count
	FlowGone bool // the whole flow is gone, not only the state
}

// String says what is wrong and what to do.
func (o Orphan) String() string {
	if o.FlowGone {
		return fmt.Sprintf("%d conversations are in flow %q (state %q), which this program does not have: put the flow back, or they leave it with their next message",
			o.Conversations, o.Flow, o.State)
	}
	return fmt.Sprintf("%d conversations are in state %q of flow %q, which this program does not have: name the state that takes them over in Renamed, or they leave the flow with their next message",
		o.Conversations, o.State, o.Flow)
}

// Orphans returns those of the kept states that have no place in this program, ordered by flow and state. Check it at
// start.
func (fs *Flows[T]) Orphans(kept []Count) []Orphan {
	var out []Orphan
	for _, c := range kept {
		m, ok := fs.byName[c.Flow]
		if !ok {
			out = append(out, Orphan{Count: c, FlowGone: true})
		} else if _, ok := m.Resolve(c.State); !ok {
			out = append(out, Orphan{Count: c})
		}
	}
	slices.SortFunc(out, func(a, b Orphan) int {
		return cmp.Or(cmp.Compare(a.Flow, b.Flow), cmp.Compare(a.State, b.State))
	})
	return out
}
