package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// use tries a turn at a time with one action that needs limit uses; it reports whether they were granted.
func (w *world) use(number int64, at time.Time, limitUses ...event.LimitUse) bool {
	w.Helper()
	t := says(turnOf(message(7, number)), "", claiming(limitUses...))
	t.At = at
	r := w.commit(store.Write{Turn: t})
	if r.Err != nil || r.Dropped || len(r.Denied) > 1 {
		w.Fatalf("turn %d: %+v", number, r)
	}
	return len(r.Denied) == 0
}

func testLimitUses(w *world) {
	twice := event.LimitUse{Limit: "twice", Scope: "peer:7", Max: 2}
	w.same("granted", []bool{true, true, false}, []bool{w.use(1, noon, twice), w.use(2, noon, twice), w.use(3, noon.Add(9999*time.Hour), twice)})
	w.restart()
	w.same("granted after a restart", false, w.use(4, noon, twice))
	another := twice
	another.Scope = "peer:8"
	w.same("granted to another", true, w.use(5, noon, another))
	more := twice
	more.Max = 3
	w.same("granted by a higher limit", true, w.use(6, noon, more))
	w.same("granted by none", false, w.use(7, noon, event.LimitUse{Limit: "none"}))

	// A denied action is stored as withdrawn, not to leave any more; the rest of its turn is as ever.
	var turns []store.Write
	for n := range int64(4) {
		turns = append(turns, store.Write{Turn: says(says(named(turnOf(message(platform.UserID(20+n), 100+n)), 1, "x"), "limited", due(noon),
			claiming(event.LimitUse{Limit: "in all", Max: 2})), "free", due(noon))})
	}
	receipts := w.commitAll(turns...)
	w.same("receipts of one group", []store.Receipt{{}, {}, {Denied: []int{0}}, {Denied: []int{0}}}, receipts)
	w.same("due", []string{"limited", "free", "limited", "free", "free", "free"}, w.due(noon, 100))
	w.isNamed(event.Key{Account: ana, Peer: 23}, 1, "x")
	w.same("receipt", dropped, w.commit(turns[3]))
}

func testLimitUsesWithin(w *world) {
	hourly := event.LimitUse{Limit: "hourly", Max: 2, Within: time.Hour}
	for i, c := range []struct {
		after time.Duration
		want  bool
	}{
		{0, true},
		{30 * time.Minute, true},
		{45 * time.Minute, false},
		{time.Hour - time.Microsecond, false},
		{time.Hour, true},
		{80 * time.Minute, false},
		{90 * time.Minute, true},
		{0, false}, // the clock was set back
		{5 * time.Hour, true},
		{5 * time.Hour, true},
		{5 * time.Hour, false},
		{10 * time.Hour, true},
		{10*time.Hour + time.Minute, true},
		{11*time.Hour + 2*time.Minute, true},  // the clock was an hour ahead
		{10*time.Hour + 3*time.Minute, false}, // and was set right
		{11*time.Hour + 30*time.Minute, true}, // one of the three still counts
		{11*time.Hour + 30*time.Minute, false},
	} {
		w.same(c.after.String(), c.want, w.use(int64(i+1), noon.Add(c.after), hourly))
		w.restart()
	}
}

// testLimitUsesBeside: what others publish leaves room for what is ahead, each of which counts once, before it has its use and afterwards.
func testLimitUsesBeside(w *world) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	publishes := func(minutes int) event.LimitUse {
		return event.LimitUse{Limit: event.PublishingLimit, Max: 3, Within: time.Hour, GiveBack: true, At: at(minutes)}
	}
	beside := func(number int64, minutes int, ahead ...int) bool {
		others := publishes(minutes)
		others.Limit, others.AheadOf = event.OthersLimit, "name:plan/"
		for _, m := range ahead {
			others.Ahead = append(others.Ahead, at(m))
		}
		return w.use(number, noon, publishes(minutes), others)
	}
	w.same("one of three, beside two", true, beside(1, 0, 30, 40))
	w.same("a second one", false, beside(2, 5, 30, 40))
	w.same("nothing is left of what was denied", true, beside(3, 5, 30))
	slot := says(turnOf(message(7, 4)), "", claiming(publishes(30)))
	slot.Actions[0].Key = "name:plan/a"
	w.same("what is ahead comes", store.Receipt{}, w.commit(store.Write{Turn: slot}))
	w.same("it counts once", true, beside(5, 65, 30, 40))
	w.same("and the other one still does", false, beside(6, 66, 30, 40))
	w.same("what comes later is kept room, too", false, beside(7, 64, 40, 90, 95))
	w.same("what is far ahead takes no room", true, beside(8, 200, 261, 262, 263))
}

// testLimitUsesOfTheFuture: a clock that was far ahead does not use a limit up for long.
func testLimitUsesOfTheFuture(w *world) {
	daily := event.LimitUse{Limit: "daily", Max: 1, Within: 24 * time.Hour}
	w.same("granted in a year", true, w.use(1, noon.Add(365*24*time.Hour), daily))
	w.same("granted now", true, w.use(2, noon, daily))
	w.same("granted twice", false, w.use(3, noon.Add(time.Minute), daily))
	ever := event.LimitUse{Limit: "ever", Max: 1}
	w.same("granted in a year", true, w.use(4, noon.Add(365*24*time.Hour), ever))
	w.same("granted once more", false, w.use(5, noon, ever))
}

func testAllLimitUses(w *world) {
	a, b, c := event.LimitUse{Limit: "a", Max: 2}, event.LimitUse{Limit: "b", Max: 1, Within: time.Hour}, event.LimitUse{Limit: "c", Max: 5}
	w.same("granted", true, w.use(1, noon, a, b, c))
	w.same("granted without b", false, w.use(2, noon, a, b, c))
	w.same("granted without b", false, w.use(3, noon, c, a, b))
	w.same("a is left", true, w.use(4, noon, a))
	w.same("a is not left", false, w.use(5, noon, a))
	for n := int64(6); n < 10; n++ {
		w.same("c is left", true, w.use(n, noon, c))
	}
	w.same("c is not left", false, w.use(10, noon, c))
}

// testTwoWindows: "twice an hour and three times a day" under one name.
func testTwoWindows(w *world) {
	hourly, daily := event.LimitUse{Limit: "x", Max: 2, Within: time.Hour}, event.LimitUse{Limit: "x", Max: 3, Within: 24 * time.Hour}
	for i, c := range []struct {
		after time.Duration
		want  bool
	}{
		{0, true},
		{time.Minute, true},
		{2 * time.Minute, false},
		{time.Hour, true},
		{2 * time.Hour, false},
		{24 * time.Hour, true},
		{24 * time.Hour, false},
		{24*time.Hour + time.Minute, true},
	} {
		limitUses := []event.LimitUse{hourly, daily}
		if i%2 == 0 {
			limitUses = []event.LimitUse{daily, hourly}
		}
		w.same(c.after.String(), c.want, w.use(int64(i+1), noon.Add(c.after), limitUses...))
	}
}
