package store_test

import (
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

func testDue(w *world) {
	at := func(seconds int, p event.Priority, position int64) func(*record.Action) {
		return func(a *record.Action) {
			a.State, a.Due, a.Priority, a.Position = event.StateDue, noon.Add(time.Duration(seconds)*time.Second), p, position
		}
	}
	w.must(
		says(turnOf(message(7, 1)), "broadcast", at(0, event.Broadcast, 1)),
		says(turnOf(message(7, 2)), "later in place", at(5, event.Answer, 9)),
		says(turnOf(message(8, 3)), "of 8", at(5, event.Answer, 8)),
		says(turnOf(message(7, 4)), "scheduled", at(1, event.Scheduled, 3)),
		says(turnOf(message(9, 5)), "not yet", at(60, event.Answer, 2)),
		says(turnOf(message(9, 6)), "under way", at(0, event.Answer, 1), func(a *record.Action) { a.State = event.StateSending }),
		says(turnOf(message(9, 7)), "held", at(0, event.Answer, 1), func(a *record.Action) { a.State = event.StateHeld }),
	)
	now := noon.Add(30 * time.Second)
	all := []string{"of 8", "later in place", "scheduled", "broadcast"}
	for range 2 {
		w.same("due", all, w.due(now, 10))
		w.same("due, at most 3", all[:3], w.due(now, 3))
		w.same("due, at most 2", all[:2], w.due(now, 2))
		w.same("due, none", []string{}, w.due(now, 0))
		w.same("due but for 7", []string{"of 8"}, w.due(now, 10, 7))
		w.same("due but for 7 and 8", []string{}, w.due(now, 10, 7, 8))
		w.same("due to the microsecond", []string{"broadcast"}, w.due(noon.Add(time.Second-time.Microsecond), 10))
		next, err := w.NextDue(w.Context(), ana)
		if err != nil || !next.Equal(noon) {
			w.Errorf("next %v, error %v", next, err)
		}
		w.restart()
	}
}

// testAhead: what a clock that was ahead made due, and no time of day that somebody chose.
func testAhead(w *world) {
	at := func(due, decided int, p event.Priority) func(*record.Action) {
		return func(a *record.Action) {
			a.State, a.Priority, a.Position = event.StateDue, p, int64(due)
			a.Due, a.DecidedAt = noon.Add(time.Duration(due)*time.Second), noon.Add(time.Duration(decided)*time.Second)
		}
	}
	w.must(
		says(turnOf(message(7, 1)), "broadcast", at(61, 61, event.Broadcast)),
		says(turnOf(message(7, 2)), "second", at(63, 64, event.Answer)),
		says(turnOf(message(8, 3)), "first", at(62, 62, event.Answer)),
		says(turnOf(message(8, 4)), "due", at(60, 62, event.Answer)),
		says(turnOf(message(8, 5)), "timed", at(70, 61, event.Scheduled)),
	)
	all := []string{"first", "second", "broadcast"}
	for limit, want := range map[int][]string{10: all, 2: all[:2], 0: {}} {
		ahead, err := w.ActionsAhead(w.Context(), ana, noon.Add(time.Minute), limit)
		w.same("ahead", want, texts(ahead))
		w.same("error", nil, err)
	}
}

// testRemember: what is known of an account stays known, of that account alone.
func testRemember(w *world) {
	for range 2 {
		w.same("error", nil, w.RememberTrait(w.Context(), ana, "rewrites"))
		w.restart()
		for _, c := range []struct {
			account event.Account
			what    string
			want    bool
		}{{ana, "rewrites", true}, {ana, "else", false}, {berk, "rewrites", false}} {
			got, err := w.HasTrait(w.Context(), c.account, c.what)
			w.same(string(c.account)+" "+c.what, c.want, got)
			w.same("error", nil, err)
		}
	}
}

func testOpen(w *world) {
	in := func(state event.State, position int64) func(*record.Action) {
		return func(a *record.Action) { a.State, a.Position = state, position }
	}
	w.must(
		says(turnOf(message(7, 1)), "third", in(event.StateSending, 30)),
		says(turnOf(message(8, 2)), "first", in(event.StateSending, 10)),
		says(turnOf(message(7, 3)), "second", in(event.StateInDoubt, 20)),
		says(turnOf(message(7, 4)), "due", in(event.StateDue, 5)),
		says(turnOf(message(7, 5)), "held", in(event.StateHeld, 6)),
	)
	for range 2 {
		w.same("open", []string{"first", "second", "third"}, w.opened())
		w.restart()
	}
	more := says(says(turnOf(message(8, 6)), "held later", in(event.StateHeld, 40)), "a like", in(event.StateHeld, 41))
	more.Actions[0].Verb, more.Actions[1].Verb = event.VerbPost, event.VerbLike
	w.must(more, says(turnOf(message(8, 7)), "found", in(event.StateHeld, 42), func(a *record.Action) { a.Result = 5 }))
	for limit, want := range map[int][]string{9: {"held", "held later", "found"}, 2: {"held later", "found"}, 1: {"found"}} {
		made, err := w.HeldActions(w.Context(), ana, limit)
		w.same("held", want, texts(made))
		w.same("error", nil, err)
	}
	standings, err := w.Standings(w.Context())
	w.same("unsure and held", map[event.Account]store.Standing{ana: {InDoubt: 1, Held: 4}}, standings)
	w.same("error", nil, err)
}

// testActionOnce: a key that is stored already adds nothing, takes no limit use, and does not leave again.
func testActionOnce(w *world) {
	key := func(a *record.Action) { a.Key = "the same" }
	w.must(says(turnOf(message(7, 1)), "first", key))
	once := event.LimitUse{Limit: "once", Max: 1}
	second := says(says(turnOf(message(7, 2)), "second", key, claiming(once)), "third", claiming(once))
	w.same("receipt", store.Receipt{Denied: []int{0}}, w.commit(store.Write{Turn: second}))
	w.same("open", []string{"first", "third"}, sorted(w.opened()))
}

// testWithdraw: a turn takes back what waits in its conversation, not what it decides itself.
func testWithdraw(w *world) {
	in := func(state event.State) func(*record.Action) { return func(a *record.Action) { a.State = state } }
	w.must(
		says(says(turnOf(message(7, 1)), "waits", due(noon)), "waits too", due(noon.Add(time.Hour))),
		says(turnOf(message(7, 2)), "has left", in(event.StateSending)),
		says(turnOf(message(8, 3)), "another's", due(noon)),
	)
	t := says(turnOf(message(7, 4)), "new", due(noon))
	t.Withdraw = "somebody took over"
	w.must(t)
	w.same("due", []string{"another's", "new"}, sorted(w.due(noon.Add(2*time.Hour), 10)))
	w.same("open", []string{"has left"}, w.opened())
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func testResults(w *world) {
	message1, message2, post := says(turnOf(message(7, 1)), "a"), says(turnOf(message(7, 2)), "b"), says(turnOf(message(7, 3)), "c")
	post.Actions[0].Verb = event.VerbPost
	other := message(7, 4)
	other.Account = berk
	others := says(turnOf(other), "d")
	w.must(message1, message2, post, others)
	w.QueueMarks(mark(message1, event.StateDone, 100), mark(message2, event.StateDone, 200))
	w.QueueMarks(mark(post, event.StateDone, 300), mark(others, event.StateDone, 400))
	w.flush()
	for verb, want := range map[event.Verb]map[int64]bool{
		event.VerbMessage: {100: true, 200: true}, event.VerbPost: {300: true}, event.VerbLike: {},
	} {
		got, err := w.Results(w.Context(), ana, verb, []int64{100, 150, 200, 300, 400, 0})
		w.same(string(verb), want, got)
		w.same("error", nil, err)
	}
}

func testPosition(w *world) {
	var mu sync.Mutex
	var all []int64
	var taking sync.WaitGroup
	for range 4 {
		taking.Go(func() {
			var mine []int64
			for range 500 {
				mine = append(mine, w.NextPosition())
			}
			mu.Lock()
			defer mu.Unlock()
			if !slices.IsSorted(mine) {
				w.Error("positions went back")
			}
			all = append(all, mine...)
		})
	}
	taking.Wait()
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		w.Error("a position was given twice")
	}
	// Actions were decided with a clock that was ahead; it has been set right since.
	ahead := time.Now().Add(24 * time.Hour).UnixMicro()
	for i, state := range []event.State{event.StateDue, event.StateSending, event.StateInDoubt, event.StateHeld} {
		ahead += 1000
		w.must(says(turnOf(message(7, int64(i+1))), "", func(a *record.Action) { a.State, a.Position = state, ahead }))
		w.restart()
		if p := w.NextPosition(); p <= ahead {
			w.Errorf("%s: position %d after %d", state, p, ahead)
		}
	}
}
