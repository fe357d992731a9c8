package poll_test

import (
	"context"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	effort.Rapid("25")
	goleak.VerifyTestMain(effort.Choosing(m))
}

// slots bounds calls in flight.
type slots chan struct{}

func newSlots(n int) slots { return make(slots, n) }

// Acquire implements poll.Slots.
func (s slots) Acquire(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release implements poll.Slots.
func (s slots) Release() { <-s }
