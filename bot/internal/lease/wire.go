package lease

import (
	"context"
	"sync"
)

// Wire is a way to a board on which calls are held up and get lost, for simulations. Like on a network, a call that nobody waits for
// any more may arrive all the same.
type Wire struct {
	Board
	// Before is called with a call on its way to the board. After an error, which is the call's, it never arrives.
	Before func(ctx context.Context, call string) error
	// After is called with the answer on its way back. After an error, which is the call's, the answer is lost.
	After func(ctx context.Context, call string) error
}

// answer is what comes back over a wire.
type answer[T any] struct {
	value T
	err   error
}

// carry makes a call over a wire.
func carry[T any](ctx context.Context, w *Wire, call string, do func(ctx context.Context) (T, error)) (T, error) {
	back := make(chan answer[T], 1)
	go func() {
		var a answer[T]
		if w.Before != nil {
			a.err = w.Before(ctx, call)
		}
		if a.err == nil {
			a.value, a.err = do(context.WithoutCancel(ctx))
			if w.After != nil {
				if err := w.After(ctx, call); err != nil {
					a = answer[T]{err: err}
				}
			}
		}
		back <- a
	}()
	select {
	case a := <-back:
		return a.value, a.err
	case <-ctx.Done():
		return answer[T]{}.value, context.Cause(ctx)
	}
}

// AddWorker implements Board.
func (w *Wire) AddWorker(ctx context.Context, c Card) (Seat, error) {
	return carry(ctx, w, "enter", func(ctx context.Context) (Seat, error) { return w.Board.AddWorker(ctx, c) })
}

// RenewLease implements Board.
func (w *Wire) RenewLease(ctx context.Context, s Seat, p Pulse) (int64, error) {
	return carry(ctx, w, "beat", func(ctx context.Context) (int64, error) { return w.Board.RenewLease(ctx, s, p) })
}

// ReadView implements Board.
func (w *Wire) ReadView(ctx context.Context) (*View, error) {
	return carry(ctx, w, "look", w.Board.ReadView)
}

// TakeOver implements Board.
func (w *Wire) TakeOver(ctx context.Context, s Sight) (bool, error) {
	return carry(ctx, w, "take over", func(ctx context.Context) (bool, error) { return w.Board.TakeOver(ctx, s) })
}

// StorePlan implements Board. Who does not wait any more is not asked.
func (w *Wire) StorePlan(ctx context.Context, s Seat, decide func(*View) []Want) (bool, error) {
	var asking sync.Mutex
	over := false
	defer func() {
		asking.Lock()
		defer asking.Unlock()
		over = true
	}()
	return carry(ctx, w, "plan", func(ctx context.Context) (bool, error) {
		return w.Board.StorePlan(ctx, s, func(v *View) []Want {
			asking.Lock()
			defer asking.Unlock()
			if over {
				return nil
			}
			return decide(v)
		})
	})
}

// Acquire implements Board.
func (w *Wire) Acquire(ctx context.Context, s Seat, again ...int) ([]Holding, error) {
	return carry(ctx, w, "acquire", func(ctx context.Context) ([]Holding, error) { return w.Board.Acquire(ctx, s, again...) })
}

// Release implements Board.
func (w *Wire) Release(ctx context.Context, s Seat, all ...Released) error {
	_, err := carry(ctx, w, "release", func(ctx context.Context) (struct{}, error) { return struct{}{}, w.Board.Release(ctx, s, all...) })
	return err
}

// RemoveWorker implements Board.
func (w *Wire) RemoveWorker(ctx context.Context, s Seat) error {
	_, err := carry(ctx, w, "leave", func(ctx context.Context) (struct{}, error) { return struct{}{}, w.Board.RemoveWorker(ctx, s) })
	return err
}

// ReadHosts implements Board.
func (w *Wire) ReadHosts(ctx context.Context) (*HostViews, error) {
	return carry(ctx, w, "hosts", w.Board.ReadHosts)
}

// AskRate implements Board.
func (w *Wire) AskRate(ctx context.Context, s Seat, number int64, a Ask) (bool, error) {
	return carry(ctx, w, "ask", func(ctx context.Context) (bool, error) { return w.Board.AskRate(ctx, s, number, a) })
}
