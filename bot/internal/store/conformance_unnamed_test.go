package store_test

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
)

// testUnnamed: messages to a person, and replies to a post, that are done although nobody knows what they made are found, those that left first
// before the others, until it is known.
func testUnnamed(w *world) {
	place := int64(0)
	done := func(result int64) func(a *record.Action) {
		return func(a *record.Action) {
			place++
			a.State, a.Result, a.EndedAt, a.Position = event.StateDone, result, noon, place
		}
	}
	replies := func(a *record.Action) { a.Verb, a.Post = event.VerbPost, 70 }
	w.must(says(turnOf(message(7, 1)), "first", done(0)), says(turnOf(message(7, 2)), "second", done(0)), says(turnOf(message(7, 3)), "named", done(50)))
	w.must(says(turnOf(message(7, 4)), "due"), says(turnOf(message(8, 5)), "another's", done(0)), says(turnOf(message(9, 6)), "reply", done(0), replies))
	are := func(verb event.Verb, target int64, limit int, want ...string) {
		w.Helper()
		unnamed, err := w.UnnamedActions(w.Context(), ana, verb, target, limit)
		w.same("error", nil, err)
		w.same("unnamed", append([]string{}, want...), append([]string{}, texts(unnamed)...))
	}
	are(event.VerbMessage, 7, 9, "first", "second")
	are(event.VerbMessage, 7, 1, "first")
	are(event.VerbPost, 70, 9, "reply")
	are(event.VerbPost, 7, 9)
	unnamed, err := w.UnnamedActions(w.Context(), ana, event.VerbMessage, 7, 1)
	w.same("error", nil, err)
	m := outbox.MarkOf(&unnamed[0])
	m.Result = 49
	w.same("error", nil, w.MarkNow(w.Context(), m))
	are(event.VerbMessage, 7, 9, "second")
}
