package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

var errLost = errors.New("lost on the way to the database")

// wire is an incarnation's way to the board.
func (h *hand) wire() lease.Board {
	return &lease.Wire{
		Board: h.board.Board(),
		Before: func(ctx context.Context, call string) error {
			h.ice.WaitForThaw()
			if err := h.boundary("board: " + call); err != nil {
				return err
			}
			return h.travel(ctx, call, false)
		},
		After: func(ctx context.Context, call string) error {
			err := h.travel(ctx, call, true)
			h.ice.WaitForThaw()
			return errors.Join(err, h.power.dead())
		},
	}
}

// closed tells until when an incarnation does not reach the database.
func (h *hand) closed() (until time.Time, lossy bool) {
	h.crew.mu.Lock()
	defer h.crew.mu.Unlock()
	return laterOf(h.stalled, h.ways[h.slot].store), h.lossy.After(time.Now())
}

// travel is the way of a call to the database, or of its answer.
func (h *hand) travel(ctx context.Context, call string, back bool) error {
	name := fmt.Sprintf("%v %s %v", h, call, back)
	d := h.dice.draw(name)
	if err := h.dice.wait(ctx, h.power.dark, d.between(time.Microsecond, 30*time.Millisecond), name); err != nil {
		if back || ctx.Err() == nil || d.n(2) == 0 {
			return err
		}
	}
	if m := h.slow.Load(); back && call == "beat" && m != nil && h.slow.CompareAndSwap(m, nil) && !h.peace.Load() {
		h.cut(h.slot, m)
		time.Sleep(d.between(time.Second, 1400*time.Millisecond)) // nearly as long as a beat may take
		return h.power.dead()
	}
	for {
		until, lossy := h.closed()
		wait := time.Until(until)
		if wait <= 0 {
			most := int64(100)
			if lossy {
				most = 8
			}
			if !h.peace.Load() && d.n(most) == 0 {
				return errLost
			}
			return h.power.dead()
		}
		if d.n(3) == 0 { // some calls are refused, some are kept until the way is free, and arrive late
			time.Sleep(min(wait, d.between(0, time.Second)))
			return errLost
		}
		time.Sleep(wait)
	}
}

// reach lets who reads from the database wait for it.
func (h *hand) reach(ctx context.Context) error {
	h.ice.WaitForThaw()
	until, _ := h.closed()
	if wait := time.Until(until); wait > 0 {
		t := time.NewTimer(min(wait, 2*time.Second))
		defer t.Stop()
		select {
		case <-t.C:
		case <-h.power.dark:
		case <-ctx.Done():
		}
		h.ice.WaitForThaw()
		if time.Now().Before(until) {
			return errLost
		}
	}
	return h.power.dead()
}

// around makes a commit over the way to the database: whatever befalls the worker meanwhile, it is made only if nobody has taken over.
func (h *hand) around(commit func() error) error {
	h.ice.WaitForThaw()
	ctx := context.Background()
	name := fmt.Sprintf("commit of %v", h)
	d := h.dice.draw(name)
	name += fmt.Sprint(" ", d.time)
	if err := h.boundary("commit begins"); err != nil {
		return err
	}
	if err := h.reach(ctx); err != nil {
		return err
	}
	if err := h.dice.wait(ctx, h.power.dark, d.between(time.Microsecond, 5*time.Millisecond), name); err != nil {
		return err
	}
	x, err := h.board.Store(h.seat)
	if err != nil {
		return store.ErrFenced
	}
	defer x.Discard()
	took := time.Duration(h.plan.rush * float64(d.between(200*time.Microsecond, 8*time.Millisecond)))
	if err := h.dice.wait(ctx, h.power.dark, took, name); err != nil {
		return err
	}
	if m := h.inside.Load(); m != nil && (h.turned.Swap(false) || time.Since(h.began) > m.at+patience) {
		h.freeze(h.inside.Swap(nil), "in a commit")
	}
	if err := h.boundary("commit in the middle"); err != nil {
		return err
	}
	return h.finish(&d, x, commit, name)
}

// patience is how long a mishap waits for a commit of a turn before any will do.
const patience = time.Second

// finish makes a commit that has begun. Its end, or the news of it, may get lost.
func (h *hand) finish(d *draw, x *lease.Storing, commit func() error, name string) error {
	until, _ := h.closed()
	cut := time.Now().Before(until)
	lost := cut || !h.peace.Load() && d.n(100) < h.plan.unclear
	if lost && d.n(3) == 0 {
		h.trace.add("%v: a commit gets lost", h)
		h.reached(d, cut)
		return &unclear.Error{Err: errLost}
	}
	err := x.Commit(commit)
	if errors.Is(err, lease.ErrGone) {
		return store.ErrFenced
	}
	if err != nil {
		return err
	}
	if err := h.boundary("commit is done"); err != nil {
		return err
	}
	_ = h.dice.wait(context.Background(), h.power.dark, d.between(time.Microsecond, 5*time.Millisecond), name)
	h.ice.WaitForThaw()
	if lost {
		h.trace.add("%v: the answer to a commit gets lost", h)
		h.reached(d, cut)
		return &unclear.Error{Err: errLost}
	}
	return h.power.dead()
}

// reached is how long it takes until an answer is not waited for any more.
func (h *hand) reached(d *draw, cut bool) {
	if cut {
		_ = h.dice.wait(context.Background(), h.power.dark, d.between(time.Millisecond, 2*time.Second), "cut "+h.String())
	}
}
