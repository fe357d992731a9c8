package store_test

import (
	"encoding/json"
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

var (
	stored  = store.Receipt{}
	stale   = store.Receipt{Err: store.ErrStale}
	dropped = store.Receipt{Dropped: true}
)

// outcomes tells the receipts apart without comparing the words of errors.
func outcomes(receipts []store.Receipt) []string {
	var list []string
	for _, r := range receipts {
		switch {
		case errors.Is(r.Err, store.ErrStale):
			list = append(list, "stale")
		case errors.Is(r.Err, store.ErrUnfit):
			list = append(list, "unfit")
		case r.Err != nil:
			list = append(list, r.Err.Error())
		case r.Dropped:
			list = append(list, "dropped")
		default:
			list = append(list, "stored")
		}
	}
	return list
}

func on(l *store.Sequence, t *store.Turn) store.Write {
	t.Sequence = l
	return store.Write{Turn: t}
}

func testStale(w *world) {
	key := event.Key{Account: ana, Peer: 7}
	w.must(named(turnOf(message(7, 1)), 1, "one"), named(turnOf(message(7, 2)), 2, "two"))
	for _, version := range []int64{1, 2, 4, 9} {
		t := says(named(turnOf(message(7, 3)), version, "stale"), "stale", claiming(event.LimitUse{Limit: "once", Max: 1}))
		t.Timers = []event.Timer{{Key: key, Name: "t", Occurrence: 1, Due: noon}}
		t.Facts = []event.Fact{{Name: "f", Value: raw(`1`), ReadAt: noon}}
		x := store.Write{Turn: t, Pending: []event.Event{message(8, 8)}}
		if r := w.commit(x); !errors.Is(r.Err, store.ErrStale) || r.Dropped || r.Denied != nil {
			w.Errorf("version %d: %+v", version, r)
		}
	}
	w.isNamed(key, 2, "two")
	w.handled(map[event.ID]bool{}, message(7, 3).ID, message(8, 8).ID)
	w.same("open", []string{}, w.opened())
	if timers, _ := w.timers(noon, 10); len(timers) > 0 {
		w.Errorf("timers %v", timers)
	}
	facts, err := w.Facts(w.Context(), ana, "message:3")
	if len(facts) > 0 || err != nil {
		w.Errorf("facts %v, error %v", facts, err)
	}
	w.must(says(named(turnOf(message(7, 3)), 3, "three"), "fresh", claiming(event.LimitUse{Limit: "once", Max: 1})))
	w.isNamed(key, 3, "three")
}

func testStaleTriggers(w *world) {
	waiting := message(7, 2)
	timer := event.Timer{Key: waiting.Key(), Name: "t", Occurrence: 4, Due: noon, Data: []byte(`{"a":1}`)}
	setter := named(turnOf(message(7, 1)), 1, "one")
	setter.Timers = []event.Timer{timer}
	w.must(setter)
	if r := w.commit(store.Write{Attempt: &store.Attempt{Event: waiting, Tries: 2, Quarantined: true, At: noon}}); r.Err != nil {
		w.Fatal(r.Err)
	}
	decision := event.Trigger{Kind: event.ByRequest, Key: waiting.Key(), Choice: "yes"}
	for i, trigger := range []event.Trigger{byTimer(timer), decision, byEvent(waiting)} {
		version := int64(i + 2)
		w.same("receipt", stale, w.bare(store.Write{Turn: named(turnBy(trigger), version+1, "stale")}))
		if i == 0 {
			timers, _ := w.timers(noon, 10)
			w.same("timers", []event.Timer{timer}, timers)
		}
		w.same("pending", []string{}, w.pending(0)) // still in quarantine
		w.must(named(turnBy(trigger), version, "fresh"))
		w.same("receipt", dropped, w.commit(store.Write{Turn: named(turnBy(trigger), version+1, "again")}))
	}
}

// bare commits a write, and checks that a stale receipt has the bare error.
func (w *world) bare(x store.Write) store.Receipt {
	w.Helper()
	r := w.commit(x)
	if r.Err != store.ErrStale { //nolint:errorlint // that it is bare is the point
		w.Fatalf("the receipt is %+v", r)
	}
	r.Err = store.ErrStale
	return r
}

func testGone(w *world) {
	w.same("receipt", []string{"stale"}, outcomes([]store.Receipt{w.commit(store.Write{Turn: named(turnOf(message(7, 1)), 5, "who?")})}))
	w.isNamed(event.Key{Account: ana, Peer: 7}, 0, "")
	w.must(named(turnOf(message(7, 1)), 1, "one"))
}

func testSequence(w *world) {
	w.must(named(turnOf(message(7, 1)), 1, "loaded"))
	sequence, other := &store.Sequence{}, &store.Sequence{}
	receipts := w.commitAll(
		on(sequence, named(turnOf(message(7, 2)), 2, "mine")),
		store.Write{Turn: named(turnBy(event.Trigger{Kind: event.ByRequest, Key: event.Key{Account: ana, Peer: 7}, Choice: "x"}), 3, "a person's")},
		on(sequence, named(turnOf(message(7, 3)), 3, "computed on mine")),
		on(other, named(turnOf(message(8, 4)), 1, "another lane")),
		on(sequence, turnOf(message(7, 5))), // changes no conversation, and was computed on a stale one all the same
		on(sequence, named(turnOf(message(7, 6)), 4, "of the right version by chance")),
	)
	w.same("receipts", []string{"stored", "stored", "stale", "stored", "stale", "stale"}, outcomes(receipts))
	w.isNamed(event.Key{Account: ana, Peer: 7}, 3, "a person's")
	w.handled(map[event.ID]bool{message(7, 2).ID: true}, message(7, 2).ID, message(7, 3).ID, message(7, 5).ID, message(7, 6).ID)
}

func testSequenceOverGroups(w *world) {
	sequence := &store.Sequence{}
	w.same("receipt", stale, w.bare(on(sequence, named(turnOf(message(7, 1)), 2, "stale"))))
	w.same("receipt", stale, w.bare(on(sequence, named(turnOf(message(7, 2)), 1, "right by chance"))))
	w.same("receipt", stale, w.bare(on(sequence, turnOf(message(7, 3)))))
	for _, last := range []bool{false, true} { // it would go ahead of what is not stored
		w.same("receipt", stale, w.bare(store.Write{Attempt: &store.Attempt{Event: message(7, 2), Tries: 1, Quarantined: last, At: noon, Sequence: sequence}}))
	}
	w.handled(map[event.ID]bool{}, message(7, 2).ID)
	w.same("receipt", stored, w.commit(on(&store.Sequence{}, named(turnOf(message(7, 1)), 1, "loaded again"))))
}

func testDroppedSequence(w *world) {
	w.must(turnOf(message(7, 1)))
	sequence := &store.Sequence{}
	w.same("receipts", []string{"dropped", "stale", "stored"}, outcomes(w.commitAll(
		on(sequence, named(turnOf(message(7, 1)), 1, "again")),
		on(sequence, named(turnOf(message(7, 2)), 2, "computed on it")),
		on(&store.Sequence{}, named(turnOf(message(8, 3)), 1, "another")),
	)))
}

// testUnfit: a value that is no JSON, from a plugin that does not check, stands for whatever cannot be
// stored.
func testUnfit(w *world) {
	sequence := &store.Sequence{}
	unfit := func(n int64) *store.Turn {
		t := says(named(turnOf(message(7, n)), 2, "unfit"), "unfit")
		t.Conversation.Values = map[string]json.RawMessage{"plugin/x": raw(`{"half":`)}
		return t
	}
	receipts := w.commitAll(
		on(sequence, named(turnOf(message(7, 1)), 1, "before")),
		on(&store.Sequence{}, named(turnOf(message(8, 2)), 1, "another")),
		on(sequence, unfit(3)),
		on(sequence, named(turnOf(message(7, 4)), 3, "computed on it")),
		store.Write{Turn: &store.Turn{Trigger: event.Trigger{Key: event.Key{Account: ana, Peer: 9}}, At: noon}},
		store.Write{Turn: says(turnOf(message(9, 6)), "", func(a *record.Action) { a.Priority = 9 })},
		on(&store.Sequence{}, named(turnOf(message(9, 5)), 1, "one more")),
	)
	w.same("receipts", []string{"stored", "stored", "unfit", "stale", "unfit", "unfit", "stored"}, outcomes(receipts))
	for peer, name := range map[platform.UserID]string{7: "before", 8: "another", 9: "one more"} {
		w.isNamed(event.Key{Account: ana, Peer: peer}, 1, name)
	}
	w.same("open", []string{}, w.opened())
	w.same("the same alone", []string{"unfit"}, outcomes([]store.Receipt{w.commit(store.Write{Turn: unfit(3), Marks: []outbox.Mark{}})}))
}
