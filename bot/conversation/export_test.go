package conversation

import (
	"context"
	"slices"

	"github.com/looplab/fsm"
)

// Poison puts machines into the pool of f that refuse every move for good, as a panic in a callback leaves them.
func (f *Flow[T, D]) Poison(n int) {
	away := slices.IndexFunc(f.ordered, func(tr Transition[T, D]) bool { return tr.From != tr.To })
	for range n {
		m := fsm.NewFSM(f.ordered[away].From, f.engine.table, fsm.Callbacks{
			"leave_state": func(context.Context, *fsm.Event) { panic("poison") },
		})
		func() {
			defer func() { _ = recover() }()
			_ = m.Event(context.Background(), string(f.ordered[away].On))
		}()
		f.engine.machines.Put(m)
	}
}
