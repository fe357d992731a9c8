package lease_test

import (
	"errors"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// TestStoreBesideTheBoard: what a worker stores is made only as long as nobody has taken over from it since it began.
func TestStoreBesideTheBoard(t *testing.T) {
	t.Parallel()
	m := lease.NewMemory(nil)
	board := m.Board()
	seat, err := board.AddWorker(t.Context(), lease.Card{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	commit := func() error { made++; return nil }
	x, err := m.Store(seat)
	if err != nil || x.Commit(commit) != nil {
		t.Fatalf("it is not stored: %v", err)
	}
	if x, err = m.Store(seat); err != nil {
		t.Fatal(err)
	}
	if taken, err := board.TakeOver(t.Context(), lease.Sight{Seat: seat}); err != nil || !taken {
		t.Fatalf("it is not taken over: %v, %v", taken, err)
	}
	if err := x.Commit(commit); !errors.Is(err, lease.ErrGone) {
		t.Errorf("what had begun ends with %v", err)
	}
	if _, err := m.Store(seat); !errors.Is(err, lease.ErrGone) {
		t.Errorf("another one begins: %v", err)
	}
	if made != 1 {
		t.Errorf("%d were made", made)
	}
}
