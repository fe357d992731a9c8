package bot

import (
	"context"

	"github.com/nectar-bot/nectar/bot/internal/budget"
)

// slots bounds the requests in flight of one account.
type slots struct{ free chan struct{} }

func newSlots(n int) *slots { return &slots{make(chan struct{}, n)} }

// Acquire waits for a slot as long as ctx allows.
func (s *slots) Acquire(ctx context.Context) error {
	if s.try() {
		return nil
	}
	select {
	case s.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// try takes a slot, if one is free.
func (s *slots) try() bool {
	select {
	case s.free <- struct{}{}:
		return true
	default:
		return false
	}
}

// Release gives a slot back.
func (s *slots) Release() { <-s.free }

// actSlots are an account's slots as those take them that do not poll: while they wait, the polls that have the slots need not wait
// behind those of other accounts.
type actSlots struct {
	*slots
	polls *budget.Polls // nil: the host has no budget
}

// Acquire waits for a slot as long as ctx allows.
func (s actSlots) Acquire(ctx context.Context) error {
	if s.polls == nil || !s.polls.IsLimited() {
		return s.slots.Acquire(ctx)
	}
	if s.try() {
		return nil
	}
	defer s.polls.LetHurry()()
	return s.slots.Acquire(ctx)
}
