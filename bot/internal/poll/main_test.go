package poll_test

import (
	"context"
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	set := map[string]string{"rapid.seed": "1"} // the same histories in each run; -rapid.seed=0 draws others
	if racing {
		set["rapid.checks"] = "25"
	}
	for name, value := range set {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
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
