package conversation

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/looplab/fsm"
)

// engine is the table of moves of a flow, run by looplab/fsm. Machines are pooled, since making one costs more than a
// step. They have no callbacks: user code inside one could deadlock it, could not stop the move by an error, and would
// leave it unusable by a panic.
type engine struct {
	start    string
	table    []fsm.EventDesc
	machines sync.Pool // of *fsm.FSM
}

func newEngine[T, D any](start string, transitions []Transition[T, D]) *engine {
	e := &engine{start: start}
	for _, tr := range transitions {
		e.table = append(e.table, fsm.EventDesc{Name: string(tr.On), Src: []string{tr.From}, Dst: tr.To})
	}
	return e
}

// next returns the state that signal leads to from state. A machine that did not move cleanly is thrown away, and a
// new one has the last word.
func (e *engine) next(state string, signal Signal) (string, error) {
	if m, ok := e.machines.Get().(*fsm.FSM); ok {
		if to, err := advance(m, state, signal); err == nil {
			e.machines.Put(m)
			return to, nil
		}
	}
	m := fsm.NewFSM(e.start, e.table, nil)
	to, err := advance(m, state, signal)
	if err != nil {
		return "", err
	}
	e.machines.Put(m)
	return to, nil
}

// advance moves m. A move from a state to itself is reported as an error by the machine and is none.
func advance(m *fsm.FSM, state string, signal Signal) (string, error) {
	m.SetState(state)
	err := m.Event(context.Background(), string(signal))
	same := fsm.NoTransitionError{}
	if err != nil && (!errors.As(err, &same) || same.Err != nil) {
		return "", fmt.Errorf("moving from %q on %q: %w", state, signal, err)
	}
	return m.Current(), nil
}
