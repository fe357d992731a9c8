package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// However much is said to somebody, and however often that is stored, one row tells that they are known: the first message that arrived.
func TestOneRowTellsWhoIsKnown(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	met := func() []string {
		return column(t, f.path, `SELECT result FROM action INDEXED BY action_met WHERE state = 'done' AND verb = 'message' AND known = 0`)
	}
	for n := range int64(20) {
		turn := says(turnOf(message(7, 100+n)), "hello")
		f.must(turn)
		a := turn.Actions[0].Action
		a.State, a.Result, a.EndedAt = event.StateDone, 500+n, noon
		for range 2 {
			if err := f.MarkNow(t.Context(), outbox.MarkOf(&a)); err != nil {
				t.Fatal(err)
			}
		}
		f.same("rows", []string{"500"}, met())
	}
	// Another life knows no more than what is stored, and asks nobody.
	f.restart()
	turn := says(turnOf(message(7, 200)), "hello again")
	f.must(turn)
	a := turn.Actions[0].Action
	a.State, a.Result, a.EndedAt = event.StateDone, 600, noon
	if err := f.MarkNow(t.Context(), outbox.MarkOf(&a)); err != nil {
		t.Fatal(err)
	}
	f.same("rows", []string{"500", "600"}, met())
}
