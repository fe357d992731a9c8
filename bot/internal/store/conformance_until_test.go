package store_test

import (
	"errors"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/record"
)

// until gives an action a latest departure.
func until(at time.Time) func(*record.Action) { return func(a *record.Action) { a.Until = at } }

// isHeld makes an action held, for an approval or not.
func isHeld(p *event.Approval) func(*record.Action) {
	return func(a *record.Action) {
		a.State, a.LeftAt = event.StateHeld, time.Time{}
		if a.Approval = p; p != nil {
			p.Group = a.Key
		}
	}
}

// lateAt returns what is too late then, by its texts.
func (w *world) lateAt(at time.Time, limit int) []string {
	w.Helper()
	late, err := w.LateActions(w.Context(), ana, at, limit)
	if err != nil {
		w.Fatal(err)
	}
	texts := []string{}
	for i := range late {
		texts = append(texts, late[i].Text)
	}
	return texts
}

// testUntil: what waits is found by its latest departure, in that order, whatever it waits for but an approval; what may have
// left is not. It is withdrawn while it waits, and gives its uses back then.
func testUntil(w *world) {
	in := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	once := event.LimitUse{Limit: "once", Max: 9, GiveBack: true}
	turn := turnOf(message(7, 1))
	says(turn, "second", due(in(60)), until(in(2)), claiming(once))
	says(turn, "first", due(noon), until(in(1)), claiming(once))
	says(turn, "without an end", due(noon))
	says(turn, "on its way", until(in(1)), claiming(once))
	says(turn, "held", isHeld(nil), until(in(3)))
	says(turn, "for approval", isHeld(&event.Approval{}), until(in(1)))
	says(turn, "in doubt", isHeld(nil), until(in(1)), func(a *record.Action) { a.LeftAt = noon })
	says(turn, "fifth", due(noon), until(in(5)))
	w.must(turn)
	w.restart()
	w.same("at noon", []string{}, w.lateAt(noon, 9))
	w.same("a moment before", []string{}, w.lateAt(in(1).Add(-time.Microsecond), 9))
	w.same("then", []string{"first"}, w.lateAt(in(1), 9))
	w.same("later", []string{"first", "second", "held"}, w.lateAt(in(4), 9))
	w.same("not all", []string{"first", "second"}, w.lateAt(in(4), 2))
	for at, want := range map[time.Time]time.Time{noon: in(1), in(3): in(5), in(5): {}} {
		next, err := w.NextUntil(w.Context(), ana, at)
		w.same("the next", want.UnixMicro(), next.UnixMicro())
		w.same("error", nil, err)
	}
	w.uses(3, once, noon)

	gone := func(i int) outbox.Mark {
		a := turn.Actions[i].Action
		a.State, a.Reason, a.EndedAt = event.StateWithdrawn, "too late", in(1)
		m := outbox.MarkOf(&a)
		m.Waits = true
		return m
	}
	if err := w.MarkNow(w.Context(), gone(1), gone(3)); !errors.Is(err, outbox.ErrEnded) {
		w.Errorf("one is on its way, and the error is %v", err)
	}
	w.same("all or none", []string{"first"}, w.lateAt(in(1), 9))
	w.uses(3, once, noon)
	w.same("error", nil, w.MarkNow(w.Context(), gone(1), gone(4)))
	if err := w.MarkNow(w.Context(), gone(1)); !errors.Is(err, outbox.ErrEnded) {
		w.Errorf("it has ended, and the error is %v", err)
	}
	w.restart()
	w.same("what is left", []string{"second"}, w.lateAt(in(4), 9))
	w.uses(2, once, noon)
	a, _, err := w.Action(w.Context(), ana, turn.Actions[1].Key)
	w.same("error", nil, err)
	w.same("ended", []string{"withdrawn", "too late"}, []string{string(a.State), a.Reason})
	if open := w.opened(); !slices.Contains(open, "on its way") {
		w.Errorf("open is %q", open)
	}
}
