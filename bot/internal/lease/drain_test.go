package lease_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// A drain holds until somebody undoes it: over a crash, a lost lease and a restart of the worker, which says so. Whoever took the accounts away
// because of a machine would see them come back to it otherwise, just when that machine fails.
func TestDrainHoldsUntilItIsUndone(t *testing.T) {
	inHall(t, func(h *hall) {
		a, _ := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		drain := func(on bool) {
			h.Helper()
			if ok, err := h.memory.Board().Drain(h.Context(), "a", on); !ok || err != nil {
				h.Fatalf("drain %v: %v, %v", on, ok, err)
			}
		}
		says := func(c *clerk, want string) {
			h.Helper()
			if said := c.log.about("accounts away", "accounts again"); want == "" && len(said) > 0 || want != "" && (len(said) != 1 || !strings.Contains(said[0], want)) {
				h.Errorf("it says %q, and was to say %q", said, want)
			}
		}
		onlyB := map[string]int{"b": event.Shards}
		drain(true)
		h.has(20*time.Second, onlyB)
		says(a, "asked to give its accounts away")
		a.crash()
		h.has(20*time.Second, onlyB)
		a = h.enter("a")
		h.has(20*time.Second, onlyB)
		says(a, "asked to give its accounts away")
		a.LeaveBoard(h.Context())
		if err := <-a.ended; err != nil {
			h.Error(err)
		}
		a = h.enter("a")
		h.has(20*time.Second, onlyB)
		says(a, "asked to give its accounts away")
		drain(false)
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		says(a, "may have accounts again")
	})
}

// Who is gone can be given accounts again, and is not drained: nothing of it would be.
func TestDrainOfWhoIsGone(t *testing.T) {
	inHall(t, func(h *hall) {
		a, _ := h.enter("a"), h.enter("b")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
		board := h.memory.Board()
		if ok, err := board.Drain(h.Context(), "a", true); !ok || err != nil {
			h.Fatal(ok, err)
		}
		a.LeaveBoard(h.Context())
		if err := <-a.ended; err != nil {
			h.Error(err)
		}
		for _, c := range []struct{ on, want bool }{{true, false}, {false, true}} {
			if ok, err := board.Drain(h.Context(), "a", c.on); ok != c.want || err != nil {
				h.Errorf("drain %v: %v, %v", c.on, ok, err)
			}
		}
		h.enter("a")
		h.has(40*time.Second, map[string]int{"a": 512, "b": 512})
	})
}
