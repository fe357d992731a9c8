package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// testPullIn: after the clock was set back by two hours, what waits for a while waits for that while, and what waits for a time of day for that.
func testPullIn(w *world) {
	const back = 2 * time.Hour
	later := noon.Add(back) // as the clock had it
	waits, other, fixed, old := alarm(7, "waits", 1, later.Add(time.Hour)), alarm(7, "other", 1, noon.Add(time.Hour)), alarm(7, "fixed", 1, later.Add(time.Hour)), alarm(8, "put off", 1, later.Add(time.Minute))
	waits.Set, other.Set, old.Set, old.First = later, noon.Add(-time.Minute), later, later.Add(-time.Hour)
	w.must(sets(1, waits, other, fixed, old))
	at := func(state event.State, decided time.Time, wait, delay time.Duration) func(*record.Action) {
		return func(a *record.Action) {
			a.State, a.DecidedAt, a.Delay = state, decided, delay
			a.Due, a.LeftAt = time.Time{}, time.Time{}
			if wait > 0 {
				a.Due = decided.Add(wait)
			}
		}
	}
	w.must(
		says(turnOf(message(7, 101)), "waits", at(event.StateDue, later, time.Hour, time.Hour)),
		says(turnOf(message(7, 102)), "in time", at(event.StateDue, noon, time.Hour, time.Hour)),
		says(turnOf(message(7, 103)), "behind quiet hours", at(event.StateDue, later, 3*time.Hour, 0)),
		says(turnOf(message(8, 104)), "held, to wait", at(event.StateHeld, later, time.Minute, time.Minute)),
		says(turnOf(message(8, 105)), "held", at(event.StateHeld, later, 0, 0)),
	)
	for i, want := range []int{5, 0} {
		n, err := w.PullIn(w.Context(), ana, noon)
		w.same("error", nil, err)
		w.same([]string{"pulled in", "and again"}[i], want, n)
		n, err = w.PullIn(w.Context(), berk, noon)
		w.same("of another account", 0, n)
		w.same("error", nil, err)
		w.restart()
	}
	waits.Due, waits.Set = noon.Add(time.Hour), noon
	old.Due, old.Set = noon.Add(time.Minute), noon
	due, _ := w.timers(later.Add(back), 10)
	w.same("timers", []event.Timer{old, other, waits, fixed}, due)
	type times struct{ Due, Decided time.Duration }
	got := map[string]times{}
	for _, key := range []string{"message:101/test/0", "message:102/test/0", "message:103/test/0", "message:104/test/0", "message:105/test/0"} {
		a, found, err := w.Action(w.Context(), ana, key)
		w.same("found", true, found)
		w.same("error", nil, err)
		x := times{Decided: a.DecidedAt.Sub(noon)}
		if !a.Due.IsZero() {
			x.Due = a.Due.Sub(noon)
		}
		got[a.Text] = x
	}
	w.same("actions", map[string]times{
		"waits": {time.Hour, 0}, "in time": {time.Hour, 0}, "behind quiet hours": {back + 3*time.Hour, back},
		"held, to wait": {time.Minute, 0}, "held": {0, 0},
	}, got)
}
