package bot

import "context"

// slots bounds the requests in flight of one account.
type slots struct{ free chan struct{} }

func newSlots(n int) *slots { return &slots{make(chan struct{}, n)} }

// Acquire waits for a slot as long as ctx allows.
func (s *slots) Acquire(ctx context.Context) error {
	select {
	case s.free <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Release gives a slot back.
func (s *slots) Release() { <-s.free }
