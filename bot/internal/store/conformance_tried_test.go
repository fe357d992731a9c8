package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// tryOf is a failed try of a timer's turn that recorded a fact.
func tryOf(timer event.Timer, value string) store.Write {
	fact := event.Fact{Name: "once:n", Value: raw(value), ReadAt: noon}
	return store.Write{Attempt: &store.Attempt{Timer: &timer, Facts: []event.Fact{fact}, At: noon}}
}

// facts returns what is recorded for a trigger of ana.
func (w *world) facts(trigger string) []event.Fact {
	w.Helper()
	facts, err := w.Facts(w.Context(), ana, trigger)
	if err != nil {
		w.Fatal(err)
	}
	return facts
}

// recorded checks what is recorded for timers of ana.
func (w *world) recorded(want map[string]string, timers ...event.Timer) {
	w.Helper()
	got := map[string]string{}
	for _, t := range timers {
		for _, f := range w.facts(t.ID()) {
			got[t.ID()] += f.Name + "=" + string(f.Value) + " "
		}
	}
	w.same("recorded", want, got)
}

// tried checks which of ana's timers are listed as tried.
func (w *world) tried(want ...string) {
	w.Helper()
	got := []string(nil)
	for _, f := range w.facts(store.Tried) {
		got = append(got, f.Name)
	}
	w.same("tried", want, got)
}

func testTimerTries(w *world) {
	timer, deep, other := alarm(7, "t", 1, noon), alarm(7, "t/t", 1, noon), alarm(70, "t", 1, noon)
	all := []event.Timer{timer, deep, other}
	later := alarm(7, "t", 2, noon.Add(time.Hour))
	w.must(sets(1, all...))
	w.same("receipts", []string{"stored", "stored", "stored", "stored"}, outcomes(w.commitAll(
		tryOf(timer, "1"), tryOf(timer, "2"), tryOf(deep, "3"), tryOf(other, "4"),
	)))
	w.recorded(map[string]string{timer.ID(): "once:n=1 ", deep.ID(): "once:n=3 ", other.ID(): "once:n=4 "}, all...)
	w.tried(timer.ID(), deep.ID(), other.ID())

	// The timer that is set anew is another one; a turn that is not stored changes nothing.
	w.restart()
	bad := sets(2, later)
	bad.Retry = []event.Event{message(7, 99)}
	w.same("receipt", stale, w.bare(store.Write{Turn: bad}))
	w.tried(timer.ID(), deep.ID(), other.ID())
	w.must(sets(3, later))
	w.recorded(map[string]string{deep.ID(): "once:n=3 ", other.ID(): "once:n=4 "}, timer, deep, other, later)
	w.tried(deep.ID(), other.ID())

	// A try that ends when its timer is gone, or set anew, leaves nothing behind.
	w.commit(tryOf(timer, "5"))
	w.same("receipt", store.Receipt{}, w.commit(tryOf(later, "6")))
	w.same("receipt of the one before", store.Receipt{Dropped: true}, w.commit(store.Write{Turn: turnBy(byTimer(timer))}))
	w.must(sets(4, alarm(7, "t", 3, time.Time{})))
	w.commit(tryOf(later, "7"))
	w.recorded(map[string]string{deep.ID(): "once:n=3 ", other.ID(): "once:n=4 "}, timer, deep, other, later)
	w.tried(deep.ID(), other.ID())

	// What has fired keeps what was recorded, with its turn.
	w.must(says(turnOf(message(7, 5)), "", claiming(event.LimitUse{Limit: "one", Max: 1})))
	fires := turnBy(byTimer(deep))
	fires.Facts = []event.Fact{{Name: "a", Value: raw("0"), ReadAt: noon}, {Name: "once:n", Value: raw("8"), ReadAt: noon}}
	fires.LimitUses = []event.LimitUse{{Limit: "one", Max: 1}}
	if r := w.commit(store.Write{Turn: fires}); r.Err == nil {
		w.Error("the claim was granted")
	}
	w.tried(deep.ID(), other.ID())
	fires.LimitUses = nil
	w.must(fires)
	w.must(sets(6, alarm(7, "t/t", 2, noon), alarm(70, "t", 2, time.Time{})))
	w.recorded(map[string]string{deep.ID(): "a=0 once:n=3 "}, timer, deep, other, later)
	w.restart()
	w.tried()
}

func testUncountedTries(w *world) {
	one, two := message(7, 1), message(7, 2)
	try := func(e event.Event, value string) store.Write {
		x := tryOf(event.Timer{}, value)
		x.Attempt.Event, x.Attempt.Timer = e, nil
		return x
	}
	if r := w.commit(store.Write{Pending: []event.Event{one}}); r.Err != nil {
		w.Fatal(r.Err)
	}
	w.same("receipts", []string{"stored", "stored", "stored"}, outcomes(w.commitAll(try(one, "1"), try(one, "2"), try(two, "3"))))
	got, err := w.PendingEvents(w.Context(), ana, 0, 10)
	w.same("pending", []store.PendingEvent{{Event: one}}, got) // as before, with no try
	w.same("error", nil, err)
	w.tried("message:1", "message:2")
	w.restart()

	sequence := &store.Sequence{}
	w.same("receipt", stale, w.bare(on(sequence, named(turnOf(one), 9, "stale"))))
	late := try(one, "4")
	late.Attempt.Sequence, late.Attempt.Facts[0].Name = sequence, "late"
	w.same("receipt", stale, w.bare(late))
	w.tried("message:1", "message:2")
	w.must(turnOf(one), turnOf(two))
	w.same("facts", []event.Fact{{Name: "once:n", Value: raw("1"), ReadAt: noon}}, w.facts("message:1"))
	w.same("facts", []event.Fact{{Name: "once:n", Value: raw("3"), ReadAt: noon}}, w.facts("message:2"))
	w.restart()
	w.tried()
}

// Of what the process has died stands in the store by trigger, also when the store does not have that yet, until its turn is stored or it is quarantined.
func testDeaths(w *world) {
	timer := alarm(7, "t", 1, noon)
	w.must(sets(1, timer))
	unread, pending := message(7, 11), message(7, 12)
	count := func(trigger string, tries int) {
		w.Helper()
		if err := w.KeepSuspect(w.Context(), store.Suspect{Account: ana, Trigger: trigger, Deaths: tries}); err != nil {
			w.Fatal(err)
		}
	}
	deaths := func(want map[string]int) {
		w.Helper()
		got := map[string]int{}
		for _, f := range w.facts(store.Tried) {
			got[f.Name] = store.SuspectOf(ana, &f).Deaths
		}
		w.same("deaths", want, got)
	}
	w.same("receipt", store.Receipt{}, w.commit(store.Write{Pending: []event.Event{pending}}))
	for _, id := range []string{timer.ID(), unread.ID.String(), pending.ID.String(), "decision:request/7"} {
		count(id, 1)
	}
	count(unread.ID.String(), 2)
	alone := store.Suspect{Account: ana, Trigger: "message:13", Deaths: 1, Rounds: 2, Alone: true}
	w.same("receipt", store.Receipt{}, w.commit(store.Write{Suspect: &alone}))
	w.restart()
	for _, f := range w.facts(store.Tried) {
		if got := store.SuspectOf(ana, &f); f.Name == alone.Trigger {
			w.same("suspect", alone, got)
		}
	}
	w.must(turnOf(message(7, 13)))
	w.commit(tryOf(timer, "1")) // what a try recorded stands beside it
	deaths(map[string]int{timer.ID(): 1, unread.ID.String(): 2, pending.ID.String(): 1, "decision:request/7": 1})
	w.must(turnOf(unread))
	w.commit(store.Write{Attempt: &store.Attempt{Event: pending, Tries: 5, Quarantined: true, At: noon}})
	w.commit(store.Write{Attempt: &store.Attempt{Timer: &timer, Tries: 5, Quarantined: true, At: noon}})
	deaths(map[string]int{timer.ID(): 0, "decision:request/7": 1})
	for id, want := range map[string]bool{unread.ID.String(): true, pending.ID.String(): false, timer.ID(): false, "decision:request/7": false} {
		if got, err := w.IsDecided(w.Context(), ana, id); err != nil || got != want {
			w.Errorf("%s is decided: %v, %v", id, got, err)
		}
	}
	w.must(turnBy(byTimer(timer)))
	if got, err := w.IsDecided(w.Context(), ana, timer.ID()); err != nil || !got {
		w.Errorf("a timer that has fired is not decided: %v", err)
	}
}
