package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// testOverdue: what is due for longest, and how much is, with what publishes and without.
func testOverdue(w *world) {
	at := func(seconds int, p event.Priority, state event.State) func(*record.Action) {
		return func(a *record.Action) {
			a.State, a.Due, a.Priority = state, noon.Add(time.Duration(seconds)*time.Second), p
		}
	}
	publishes := func(verb event.Verb, want bool) func(*record.Action) {
		return func(a *record.Action) { a.Verb, a.Want, a.Post = verb, want, 0 }
	}
	w.must(
		says(turnOf(message(7, 1)), "own post", at(1, event.Answer, event.StateDue), publishes(event.VerbPost, false)),
		says(turnOf(message(7, 2)), "repost", at(2, event.Answer, event.StateDue), publishes(event.VerbRepost, true)),
		says(turnOf(message(8, 3)), "scheduled", at(3, event.Scheduled, event.StateDue)),
		says(turnOf(message(9, 4)), "answer", at(4, event.Answer, event.StateDue)),
		says(turnOf(message(9, 5)), "taken back", at(5, event.Broadcast, event.StateDue), publishes(event.VerbRepost, false)),
		says(turnOf(message(9, 6)), "not yet", at(60, event.Answer, event.StateDue)),
		says(turnOf(message(9, 7)), "under way", at(0, event.Answer, event.StateSending)),
		says(turnOf(message(9, 8)), "held", at(0, event.Answer, event.StateHeld)),
	)
	for range 2 {
		for _, c := range []struct {
			account      event.Account
			at           int
			publications bool
			all          int
			first        event.Action
		}{
			{ana, 30, true, 5, event.Action{Verb: event.VerbPost, Peer: 7, Due: noon.Add(time.Second)}},
			{ana, 30, false, 3, event.Action{Verb: event.VerbMessage, Peer: 8, Due: noon.Add(3 * time.Second)}},
			{ana, 2, false, 0, event.Action{}},
			{ana, 0, true, 0, event.Action{}},
			{berk, 30, true, 0, event.Action{}},
		} {
			now := noon.Add(time.Duration(c.at) * time.Second)
			n, err := w.CountOverdue(w.Context(), c.account, now, c.publications)
			w.same("error", nil, err)
			w.same("how many", c.all, n)
			first, some, err := w.FirstOverdue(w.Context(), c.account, now, c.publications)
			w.same("error", nil, err)
			w.same("whether there is one", c.all > 0, some)
			w.same("the first", [3]any{c.first.Verb, c.first.Peer, c.first.Due.UnixMicro()}, [3]any{first.Verb, first.Peer, first.Due.UnixMicro()})
		}
		w.restart()
	}
}
