package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// testWaiting: who waits is known from what turns, answers that failed, and people of ours have come to.
func testWaiting(w *world) {
	number := int64(0)
	key := func(peer platform.UserID) event.Key { return event.Key{Account: ana, Peer: peer} }
	turn := func(peer platform.UserID, wait store.Wait) {
		number++
		t := turnOf(message(peer, number))
		t.Wait = wait
		w.must(t)
	}
	begins := func(n int64, at time.Duration, lasts bool) store.Wait {
		said := noon.Add(at)
		return store.Wait{Does: store.WaitBegins, Words: event.ID{Source: event.Messages, Number: n}, Since: said, Said: said, Why: event.Because(record.WaitsUnanswered, "outcome", "late"), Lasts: lasts}
	}
	changes := func(does store.WaitChange, n int64, at time.Duration) store.Wait {
		return store.Wait{Does: does, Words: event.ID{Source: event.Messages, Number: n}, Said: noon.Add(at)}
	}
	is := func(peer platform.UserID, want record.Waiting) {
		w.Helper()
		got, waits, err := w.WaitOf(w.Context(), key(peer))
		w.same("error", nil, err)
		if want.Key = key(peer); want.Why == "" {
			want = record.Waiting{}
		}
		w.same("who waits", want, got)
		w.same("whether", want.Why != "", waits)
	}
	why := event.Because(record.WaitsUnanswered, "outcome", "late")
	first := record.Waiting{Since: noon, Said: noon.Add(time.Minute), Words: event.ID{Source: event.Messages, Number: 12}, Why: why}

	turn(7, changes(store.WaitAnswered, 1, 0)) // nobody waits
	is(7, record.Waiting{})
	turn(7, begins(10, 0, false))
	turn(7, begins(12, time.Minute, false))
	is(7, first)
	turn(7, changes(store.WaitAnswered, 11, 0)) // to what was said before
	is(7, first)
	turn(7, changes(store.WaitPutOff, 0, time.Hour))
	later := first
	later.Later = noon.Add(time.Hour)
	is(7, later)
	turn(7, begins(13, 2*time.Minute, true))
	lasts := record.Waiting{Since: noon, Said: noon.Add(2 * time.Minute), Words: event.ID{Source: event.Messages, Number: 13}, Why: why, Lasts: true}
	is(7, lasts)
	turn(7, changes(store.WaitAnswered, 20, 0)) // it lasts
	turn(7, begins(19, 3*time.Minute, false))
	lasts.Said, lasts.Words.Number = noon.Add(3*time.Minute), 19
	is(7, lasts)
	turn(7, changes(store.WaitDealtWith, 19, time.Hour)) // before the last words
	is(7, lasts)
	turn(7, changes(store.WaitDealtWith, 20, 0))
	is(7, record.Waiting{})
	turn(8, begins(30, 0, true))
	turn(8, store.Wait{Does: store.WaitDone})
	is(8, record.Waiting{})

	// An answer that did not come about; what was taken back by a decision is none.
	for _, state := range []event.State{event.StateRefused, event.StateWithdrawn} {
		for taken, why := range map[bool]event.Reason{false: reason.TooLate(noon), true: event.Because(reason.TakenBack)} {
			peer := platform.UserID(40 + number)
			t := says(turnOf(message(peer, number+100)), "an answer")
			number++
			w.must(t)
			a := t.Actions[0].Action
			a.State, a.Why, a.EndedAt = state, why, noon
			w.same("error", nil, w.MarkNow(w.Context(), outbox.MarkOf(&a)))
			want := record.Waiting{}
			if !taken || state == event.StateRefused {
				e := t.Trigger.Event
				want = record.Waiting{Since: e.SaidAt, Said: e.SaidAt, Words: e.ID, Why: event.Because(record.WaitsFailed, "action", a.Key, "state", string(state))}
			}
			is(peer, want)
		}
	}
	standings, err := w.Standings(w.Context())
	w.same("error", nil, err)
	w.same("how many wait", 3, standings[ana].Waits)
}
