package store_test

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// triesTimer is a try of a timer's turn that failed and counts.
func triesTimer(timer event.Timer, tries int, last bool) store.Write {
	x := tryOf(timer, "1")
	x.Attempt.Tries, x.Attempt.Quarantined, x.Attempt.Record = tries, last, event.DecisionRecord{Outcome: "failed", Note: "no idea"}
	return x
}

// dueTimers returns the timers that are due, with what is known of their tries.
func (w *world) dueTimers() []record.DueTimer {
	w.Helper()
	due, _, err := w.DueTimers(w.Context(), noon.Add(time.Hour), 100)
	if err != nil {
		w.Fatal(err)
	}
	return due
}

func (w *world) stuckTimers(key event.Key) []event.Timer {
	w.Helper()
	stuck, err := w.QuarantinedTimers(w.Context(), key)
	if err != nil {
		w.Fatal(err)
	}
	return stuck
}

// testTimerQuarantine: the tries of a timer are counted, and end in quarantine; there it waits until a person lets it
// be tried again, or it is set anew.
func testTimerQuarantine(w *world) {
	timer, other := alarm(7, "a name", 1, noon), alarm(8, "other", 1, noon.Add(time.Second))
	timer.Data, timer.First = []byte(`"tea"`), noon.Add(-time.Hour)
	w.must(sets(1, timer, other))
	w.commit(triesTimer(timer, 1, false))
	w.commit(triesTimer(alarm(7, "a name", 2, noon), 5, true)) // of one that is not set
	w.restart()
	w.same("due", []record.DueTimer{{Timer: timer, Tries: 1}, {Timer: other}}, w.dueTimers())
	w.commit(triesTimer(timer, 2, true))
	w.commit(triesTimer(other, 5, true))
	w.same("due", 0, len(w.dueTimers()))
	w.same("stuck", []event.Timer{timer}, w.stuckTimers(timer.Key))
	standings, err := w.Standings(w.Context())
	w.same("how many are stuck", map[event.Account]store.Standing{ana: {Stuck: 2}}, standings)
	w.same("error", nil, err)
	w.tried(timer.ID(), other.ID())

	q := asking(ana, 7, event.WishRetry)
	q.Timers = []string{timer.ID()}
	asked := w.ask(q, q)
	w.same("asked", q.Timers, w.waiting()[0].Timers)
	retry := turnBy(asked[0].Trigger())
	retry.RetryTimers = []event.Timer{timer}
	w.must(retry)
	again := turnBy(asked[1].Trigger())
	again.RetryTimers = retry.RetryTimers
	w.same("receipt", stale, w.bare(store.Write{Turn: again}))
	w.restart()
	w.same("due", []record.DueTimer{{Timer: timer, Late: true}}, w.dueTimers())
	w.recorded(map[string]string{timer.ID(): "once:n=1 "}, timer)
	w.must(turnBy(byTimer(timer)))
	w.must(sets(2, alarm(8, "other", 2, noon)))
	w.same("due", []record.DueTimer{{Timer: alarm(8, "other", 2, noon)}}, w.dueTimers())
	w.same("stuck", 0, len(w.stuckTimers(other.Key)))
	w.tried()
}

// testOrphans: orphaned timers are not due, until they are adopted by name, or set anew.
func testOrphans(w *world) {
	one, two, three := alarm(7, "a", 1, noon), alarm(8, "a", 1, noon), alarm(9, "b", 1, noon)
	gone, newer, stuck := alarm(10, "a", 1, noon), alarm(11, "c", 2, noon), alarm(12, "a", 1, noon)
	w.must(sets(1, one, two, three, newer, stuck))
	w.commit(triesTimer(one, 2, false))
	w.commit(triesTimer(stuck, 5, true))
	older := newer
	older.Occurrence = 1
	w.same("receipt", store.Receipt{}, w.commit(store.Write{Orphans: []event.Timer{one, two, three, gone, older, stuck}}))
	w.restart()
	w.same("due", []record.DueTimer{{Timer: newer}}, w.dueTimers())
	var counts []record.TimerCount
	w.same("error", nil, w.TimerNames(w.Context(), func(c record.TimerCount) {
		c.Name = strings.Clone(c.Name)
		counts = append(counts, c)
	}))
	w.same("names", []record.TimerCount{
		{Account: ana, Name: "a", People: 3, Quarantined: 1, Orphaned: 2}, {Account: ana, Name: "b", People: 1, Orphaned: 1}, {Account: ana, Name: "c", People: 1},
	}, counts)
	w.must(sets(2, alarm(8, "a", 2, noon.Add(2*time.Hour))))
	w.same("error", nil, w.AdoptTimers(w.Context(), berk, []string{"a", "b"}))
	w.same("due", []record.DueTimer{{Timer: newer}}, w.dueTimers())
	w.same("error", nil, w.AdoptTimers(w.Context(), ana, []string{"a", "nothing"}))
	w.same("due", []record.DueTimer{{Timer: one, Tries: 2}, {Timer: newer}}, w.dueTimers())
	w.same("stuck", []event.Timer{stuck}, w.stuckTimers(stuck.Key))

	// However many they are.
	var many []event.Timer
	for i := range 4001 {
		many = append(many, alarm(100+platform.UserID(i), "many", 1, noon))
	}
	w.must(sets(3, many...))
	w.commit(store.Write{Orphans: many})
	w.same("error", nil, w.AdoptTimers(w.Context(), ana, []string{"many"}))
	due, _ := w.timers(noon, 10_000)
	w.same("due", len(many)+2, len(due))
}
