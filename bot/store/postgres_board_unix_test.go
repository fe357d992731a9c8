//go:build unix

package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/lease"
	"github.com/nectar-bot/nectar/bot/store"
)

// TestBoardOnAServer: the board in a database does what the one of simulations does.
func TestBoardOnAServer(t *testing.T) {
	t.Parallel()
	testBoard(t, func(t *testing.T) func() lease.Board {
		t.Helper()
		url := postgres(t).schema(t)
		return func() lease.Board { return openBoard(t, url) }
	})
}

// openBoard opens a board, which is closed with the test.
func openBoard(tb testing.TB, url string) *store.Board {
	tb.Helper()
	b, err := store.OpenBoard(tb.Context(), url, store.BoardOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}
