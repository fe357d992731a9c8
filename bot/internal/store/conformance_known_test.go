package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// testKnown: what answers somebody to whom a message had gone before is told apart from first contacts; all of a conversation that is due is of one kind.
func testKnown(w *world) {
	arrived := func(peer platform.UserID, number, id int64) {
		turn := says(turnOf(message(peer, number)), "before")
		w.must(turn)
		a := turn.Actions[0].Action
		a.State, a.Result, a.EndedAt = event.StateDone, id, noon
		if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
			w.Fatal(err)
		}
	}
	at := func(n int64) func(*record.Action) {
		return func(a *record.Action) { a.State, a.Due, a.LeftAt, a.Position = event.StateDue, noon, time.Time{}, n }
	}
	are := func(known, first []string) {
		w.Helper()
		for is, want := range map[bool][]string{true: known, false: first} {
			actions, err := w.DueKnown(w.Context(), ana, is, noon.Add(time.Hour), nil, 20)
			w.same("error", nil, err)
			w.same("due", want, texts(actions))
		}
	}
	likes := func(a *record.Action) { a.Verb, a.Text, a.Post, a.Want = event.VerbLike, "like", 5, true }
	arrived(7, 1, 50)
	w.must(says(turnOf(message(7, 60)), "known", at(2)), says(turnOf(message(8, 61)), "new", at(3)))
	are([]string{"known"}, []string{"new"})
	arrived(9, 2, 70)
	w.must(says(turnOf(message(9, 65)), "asked before", at(4)))
	w.must(says(turnOf(message(9, 80)), "behind it", at(5)))
	are([]string{"known"}, []string{"new", "asked before", "behind it"})

	// What was to leave at once was not looked at: it is, when it goes back, by what had arrived before it was asked for.
	arrived(12, 100, 101)
	for number, text := range map[int64]string{102: "known goes back", 99: "new goes back"} {
		turn := says(turnOf(message(12, number)), text)
		w.must(turn)
		a := turn.Actions[0].Action
		a.State, a.Position = event.StateDue, 20+number
		if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
			w.Fatal(err)
		}
		if known := []string{"known"}; number == 102 {
			are(append(known, text), []string{"new", "asked before", "behind it"})
		} else {
			are(known, []string{"new", "asked before", "behind it", text})
		}
		a.State, a.EndedAt = event.StateWithdrawn, noon
		if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
			w.Fatal(err)
		}
	}

	// What goes back, or is released, is of the kind of what is due.
	back, held := says(turnOf(message(10, 81)), "back"), says(turnOf(message(11, 82)), "held", func(a *record.Action) { a.State, a.LeftAt = event.StateHeld, time.Time{} })
	w.must(back, held)
	arrived(10, 83, 90)
	arrived(11, 84, 91)
	w.must(says(turnOf(message(10, 95)), "after back", at(6)), says(turnOf(message(11, 96)), "after held", at(7), likes), says(turnOf(message(11, 97)), "after held", at(8)))
	a := back.Actions[0].Action
	a.State, a.Position = event.StateDue, 9
	if err := w.MarkNow(w.Context(), outbox.MarkOf(&a)); err != nil {
		w.Fatal(err)
	}
	h := held.Actions[0]
	h.Held, h.State, h.Position = true, event.StateDue, 10
	release := turnOf(message(11, 98))
	release.Actions = append(release.Actions, h)
	w.must(release)
	are([]string{"known", "after back", "after held", "back", "held"}, []string{"new", "asked before", "behind it", "like"})
}
