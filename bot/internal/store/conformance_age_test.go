package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// ages returns those of ana's actions.
func (w *world) ages() map[string]outbox.Age {
	w.Helper()
	ages, err := w.DoubtAges(w.Context(), ana)
	w.same("error", nil, err)
	return ages
}

// ageOf is the mark that stores an age.
func ageOf(key string, ago time.Duration, boot string, steady time.Duration) outbox.Mark {
	return outbox.Mark{Account: ana, Key: key, Age: &outbox.Age{GivenUp: ago, Boot: boot, Steady: steady}}
}

// testAges: how long ago a request was given up stands beside its action while that is open, until it is taken away, and changes nothing else of it.
func testAges(w *world) {
	one, two, due := says(turnOf(message(7, 1)), "one"), says(turnOf(message(8, 2)), "two"), says(turnOf(message(9, 3)), "due", due(noon))
	w.must(one, two, due)
	w.same("none", map[string]outbox.Age{}, w.ages())
	first, second := one.Actions[0].Key, two.Actions[0].Key
	w.QueueMarks(ageOf(first, -15*time.Second, "boot", time.Hour), ageOf(second, 3*time.Microsecond, "", 0), ageOf(due.Actions[0].Key, 1, "boot", 1), ageOf("nobody's", 1, "boot", 1))
	w.flush()
	want := map[string]outbox.Age{first: {GivenUp: -15 * time.Second, Boot: "boot", Steady: time.Hour}, second: {GivenUp: 3 * time.Microsecond}}
	w.same("ages", want, w.ages())
	w.same("open", []string{"one", "two"}, w.opened())
	open, err := w.Open(w.Context(), ana)
	w.same("error", nil, err)
	w.same("the first", one.Actions[0].Action, open[0])

	w.restart()
	w.QueueMarks(ageOf(first, 20*time.Second, "another", 5*time.Second))
	w.flush()
	want[first] = outbox.Age{GivenUp: 20 * time.Second, Boot: "another", Steady: 5 * time.Second}
	w.same("a later age", want, w.ages())

	again := mark(one, event.StateSending, 0)
	again.Ageless = true
	w.same("error", nil, w.MarkNow(w.Context(), again))
	delete(want, first)
	w.same("it leaves again", want, w.ages())
	w.restart()
	w.same("it has left again", want, w.ages())

	// One that is on its way into the store behind what ends its action comes too late.
	over := mark(two, event.StateDone, 9)
	over.Ageless = true
	w.QueueMarks(over, ageOf(second, time.Minute, "boot", time.Hour))
	w.flush()
	w.same("over", map[string]outbox.Age{}, w.ages())
	w.same("error", nil, w.MarkNow(w.Context(), mark(due, event.StateSending, 0)))
	w.same("what was due, and leaves for the first time", map[string]outbox.Age{}, w.ages())
}
