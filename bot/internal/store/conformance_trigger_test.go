package store_test

import (
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

func testHandledOnce(w *world) {
	e := message(7, 501)
	w.must(says(named(turnOf(e), 1, "first"), "first"))
	again := says(named(turnOf(e), 2, "second"), "second", func(a *record.Action) { a.Key = "message:501/other/0" },
		claiming(event.LimitUse{Limit: "once", Max: 1}))
	again.Timers = []event.Timer{{Key: e.Key(), Name: "t", Occurrence: 1, Due: noon}}
	again.Facts = []event.Fact{{Name: "f", Value: raw(`1`), ReadAt: noon}}
	x := store.Write{Turn: again, Pending: []event.Event{message(7, 502)}, Attempt: &store.Attempt{Event: message(7, 503), Tries: 1, At: noon}}
	w.same("receipts", []store.Receipt{{Dropped: true}, {Dropped: true}}, w.commitAll(x, x))
	w.isNamed(e.Key(), 1, "first")
	w.same("open", []string{"first"}, w.opened())
	w.same("pending", []string{}, w.pending(0))
	timers, _ := w.timers(noon, 10)
	facts, err := w.Facts(w.Context(), ana, "message:501")
	if len(timers) > 0 || len(facts) > 0 || err != nil {
		w.Errorf("timers %v, facts %v, error %v", timers, facts, err)
	}
	w.must(says(turnOf(message(7, 504)), "the claim is free", claiming(event.LimitUse{Limit: "once", Max: 1})))
	w.restart()
	w.same("receipt after a restart", store.Receipt{Dropped: true}, w.commit(x))
}

func testDecision(w *world) {
	t := says(turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: ana, Peer: 7}, Choice: "take-over:1"}), "decided")
	w.must(t)
	w.same("receipt", store.Receipt{Dropped: true}, w.commit(store.Write{Turn: t}))
	w.same("open", []string{"decided"}, w.opened())
}

func testPending(w *world) {
	one, two := message(7, 1), message(8, 2)
	if r := w.commit(store.Write{Pending: []event.Event{one, two, one}}); r.Err != nil {
		w.Fatal(r.Err)
	}
	w.restart()
	w.handled(map[event.ID]bool{one.ID: false, two.ID: false}, one.ID, two.ID, message(7, 3).ID)
	w.same("pending", []string{"message:1", "message:2"}, w.pending(0))
	w.same("pending of one", []string{"message:2"}, w.pending(8))
	got, err := w.PendingEvents(w.Context(), ana, 0, 1)
	w.same("the first", []store.PendingEvent{{Event: one}}, got)
	w.same("error", nil, err)
	read := one
	read.Text = "read later"
	w.must(turnOf(read))
	if r := w.commit(store.Write{Pending: []event.Event{one}}); r.Err != nil {
		w.Fatal(r.Err)
	}
	w.handled(map[event.ID]bool{one.ID: true, two.ID: false}, one.ID, two.ID)
	w.same("pending", []string{"message:2"}, w.pending(0))
}

// testPendingOrder: within a source by number, whatever the clock said; between sources as they were
// seen.
func testPendingOrder(w *world) {
	at := func(e event.Event, source event.Source, seconds int) event.Event {
		e.ID.Source, e.SeenAt = source, noon.Add(time.Duration(seconds)*time.Second)
		return e
	}
	events := []event.Event{
		at(message(8, 3), event.Messages, 0),
		at(message(7, 12), event.Messages, 9),
		at(message(7, 13), event.Messages, 4), // the clock was set back
		at(message(7, 14), event.Messages, 11),
		at(message(7, 40), event.Notifs, 10),
		at(message(7, 41), event.Notifs, 1),
		at(message(7, 2), event.Mentions, 3),
	}
	for i := range events {
		if r := w.commit(store.Write{Pending: []event.Event{events[len(events)-1-i]}}); r.Err != nil {
			w.Fatal(r.Err)
		}
	}
	want := []string{"mention:2", "message:12", "message:13", "notif:40", "notif:41", "message:14"}
	w.same("pending", want, w.pending(7))
	w.same("pending of all", append(want, "message:3"), w.pending(0))
}

func testAttempts(w *world) {
	e := message(7, 1)
	try := func(tries int, last bool) {
		w.Helper()
		fact := event.Fact{Name: "once:n", Value: raw(strconv.Itoa(tries)), ReadAt: noon}
		a := &store.Attempt{
			Event: e, Tries: tries, Quarantined: last, Facts: []event.Fact{fact}, Record: event.DecisionRecord{Outcome: "failed", Note: "try"}, At: noon,
		}
		if r := w.commit(store.Write{Attempt: a}); r.Err != nil {
			w.Fatal(r.Err)
		}
	}
	for n := 1; n < 3; n++ {
		try(n, false)
		got, err := w.PendingEvents(w.Context(), ana, 0, 10)
		w.same("pending", []store.PendingEvent{{Event: e, Tries: n}}, got)
		w.same("error", nil, err)
		facts, err := w.Facts(w.Context(), ana, "message:1")
		w.same("facts", []event.Fact{{Name: "once:n", Value: raw(`1`), ReadAt: noon}}, facts)
		w.same("error", nil, err)
		w.restart()
	}
	try(3, true)
	w.same("pending", []string{}, w.pending(0))
	w.handled(map[event.ID]bool{e.ID: false}, e.ID)
	late := says(turnOf(e), "late")
	late.Trigger.Late = true
	w.must(late)
	try(4, true) // it comes too late to change anything
	w.handled(map[event.ID]bool{e.ID: true}, e.ID)
	w.same("receipt", store.Receipt{Dropped: true}, w.commit(store.Write{Turn: late}))
}
