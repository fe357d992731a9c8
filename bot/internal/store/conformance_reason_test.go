package store_test

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// testReasons: the code of a reason is kept beside each row that can have one, is replaced by the next one, and goes with what it was the
// reason of.
func testReasons(w *world) {
	handled, tried, later := event.Because("test.handled", "n", "1"), event.Because("test.tried", "n", "2"), event.Because("test.later")
	held := says(turnOf(message(7, 501)), "hello", func(a *record.Action) { a.State, a.Why = event.StateHeld, tried })
	held.Record.Why = handled
	timer, other := alarm(8, "a name", 1, noon), alarm(9, "other", 1, noon)
	fired := turnBy(byTimer(timer))
	fired.Record.Why = handled
	w.must(held, sets(502, timer, other), fired)
	fails := triesTimer(other, 5, true)
	fails.Attempt.Record.Why = tried
	w.commit(fails)
	for _, why := range []event.Reason{tried, later} {
		w.commit(store.Write{Attempt: &store.Attempt{Event: message(7, 503), Tries: 5, Quarantined: true, Record: event.DecisionRecord{Outcome: "quarantined", Why: why}, At: noon}})
	}
	w.restart()

	event501, _, err := w.inspector.Event(w.Context(), ana, message(7, 501).ID)
	w.same("of an event", []any{handled, nil}, []any{event501.Record.Why, err})
	event503, _, err := w.inspector.Event(w.Context(), ana, message(7, 503).ID)
	w.same("of one that was tried again", []any{later, nil}, []any{event503.Record.Why, err})
	turn, _, err := w.inspector.Turn(w.Context(), ana, timer.ID())
	w.same("of a turn", []any{handled, nil}, []any{turn.Record.Why, err})
	stuck, _, err := w.inspector.Turn(w.Context(), ana, other.ID())
	w.same("of a timer", []any{tried, tried, nil}, []any{stuck.Record.Why, stuck.Timer.Why, err})
	key := held.Actions[0].Key
	for _, why := range []event.Reason{tried, later, ""} {
		action, _, err := w.Action(w.Context(), ana, key)
		w.same("of an action", []any{why, nil}, []any{action.Why, err})
		next := mark(held, event.StateHeld, 0)
		if next.Why = later; why == later {
			next.Why = ""
		}
		w.same("marked", nil, w.MarkNow(w.Context(), next))
	}
	w.must(sets(504, alarm(9, "other", 2, noon)))
	stuck, _, err = w.inspector.Turn(w.Context(), ana, alarm(9, "other", 2, noon).ID())
	w.same("of a timer that is set anew", []any{event.Reason(""), nil}, []any{stuck.Timer.Why, err})
}

// testHeldForAPause: the end of a rule's pause lets go on what is held for it, by its code, or of earlier versions by its sentence, and nothing else.
func testHeldForAPause(w *world) {
	want := map[int64]event.State{1: event.StateDue, 2: event.StateDue, 3: event.StateHeld, 4: event.StateHeld, 5: event.StateHeld}
	for number, was := range map[int64]event.Action{
		1: {Why: reason.PausedBy("prices"), Reason: "worded anew"},
		2: {Reason: "the rule prices is paused"},
		3: {Why: reason.PausedBy("parking"), Reason: "the rule prices is paused"},
		4: {Reason: "the rule parking is paused"},
		5: {Why: event.Because(reason.Held), Reason: "the rule prices is paused"},
	} {
		w.must(says(turnOf(message(platform.UserID(60+number), 600+number)), "an offer", func(a *record.Action) {
			a.State, a.Why, a.Reason = event.StateHeld, was.Why, was.Reason
		}))
	}
	resumes := sets(610)
	resumes.Resume = &store.Resume{Rule: "prices"}
	w.must(resumes)
	got := map[int64]event.State{}
	for number := range want {
		t := says(turnOf(message(platform.UserID(60+number), 600+number)), "an offer")
		a, _, err := w.Action(w.Context(), ana, t.Actions[0].Key)
		w.same("error", nil, err)
		got[number] = a.State
	}
	w.same("how they stand", want, got)
}
