package poll

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// call makes one call of the platform, in a slot.
func call[T any](ctx context.Context, c *cycle, f func(context.Context) (T, error)) (T, error) {
	if c.cfg.Slots != nil {
		if err := c.cfg.Slots.Acquire(ctx); err != nil {
			var none T
			return none, fmt.Errorf("wait for a free slot: %w", err)
		}
		defer c.cfg.Slots.Release()
	}
	c.calls.Add(1)
	defer c.noteProgress()
	return awaitCall(ctx, c, f)
}

// errStuck is why a call was ended from outside.
var errStuck = errors.New("nothing came of it for five minutes")

// openCalls are the calls of the platform under way.
type openCalls struct {
	mu  sync.Mutex // guards the field below
	all map[*openCall]struct{}
}

// openCall is one of them.
type openCall struct {
	left    atomic.Bool // its request has left
	stop    context.CancelCauseFunc
	ended   bool          // it was told to end; the lock is held
	givenUp chan struct{} // closed when it did not
}

// awaitCall makes a call that can be ended from outside. One that does not end then either is left behind: what it brings is nobody's.
func awaitCall[T any](ctx context.Context, c *cycle, f func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	call, ctx := c.open.beginCall(ctx, c.noteProgress)
	defer c.open.endCall(call)
	done := make(chan outcome, 1)
	c.hands.do(func() {
		value, err := f(ctx)
		done <- outcome{value, err}
	})
	select {
	case o := <-done:
		if o.err != nil && errors.Is(context.Cause(ctx), errStuck) && !errors.Is(o.err, errStuck) {
			o.err = fmt.Errorf("%w: %w", errStuck, o.err)
		}
		return o.value, o.err
	case <-call.givenUp:
		var none T
		return none, errStuck
	}
}

// beginCall begins a call. It gets on when its request leaves.
func (s *openCalls) beginCall(ctx context.Context, step func()) (*openCall, context.Context) {
	o := &openCall{givenUp: make(chan struct{})}
	ctx, o.stop = context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*openCall]struct{}{}
	}
	s.all[o] = struct{}{}
	return o, platform.WithPermit(ctx, func() error {
		o.left.Store(true)
		step()
		return nil
	})
}

func (s *openCalls) endCall(o *openCall) {
	o.stop(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, o)
}

// endStuck ends what is under way, and leaves behind what was to end before. Requests that wait for the host's pace are no fault of anybody's.
func (s *openCalls) endStuck(paced bool) (ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for o := range s.all {
		switch {
		case paced && !o.left.Load(): //mutate:stuck-paced
			continue
		case !o.ended:
			o.ended = true
			o.stop(errStuck)
		default:
			close(o.givenUp) //mutate:stuck-left
			delete(s.all, o)
		}
		ended++
	}
	return ended
}

// EndStuck ends the calls of a poll that does not get on, so that another one can begin, and returns how many: a poll waits for good for one
// that knows no deadline. What it told to end before, and is there still, is left behind. It may be called at any time.
func (p *Poller) EndStuck() int {
	moved := p.moved.Load()
	if moved == 0 || time.Since(timeOfMilli(moved)) < unhealthyAfter {
		return 0
	}
	return p.open.endStuck(p.cfg.Client.Limited())
}

// hands are goroutines that make the calls of a cycle, one after the other: a new one for each call would have to grow its stack each time.
type hands struct {
	mu   sync.Mutex // guards the fields below
	idle []chan func()
	over bool
}

// do lets a goroutine run f. It may be left behind in it.
func (h *hands) do(f func()) {
	h.mu.Lock()
	n := len(h.idle)
	if n == 0 {
		h.mu.Unlock()
		go h.startWork(f)
		return
	}
	hand := h.idle[n-1]
	h.idle = h.idle[:n-1]
	h.mu.Unlock()
	hand <- f
}

func (h *hands) startWork(f func()) {
	next := make(chan func(), 1)
	for ok := true; ok; f, ok = <-next {
		f()
		h.mu.Lock()
		if h.over {
			h.mu.Unlock()
			return
		}
		h.idle = append(h.idle, next)
		h.mu.Unlock()
	}
}

// endIdle lets those go that have nothing to do; the others go when they are through.
func (h *hands) endIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for _, hand := range h.idle {
		close(hand)
	}
	h.idle = nil
}
