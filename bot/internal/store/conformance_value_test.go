package store_test

import (
	"encoding/json"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// uses adds what a turn did with a value: read it at a version, and changed it, unless version is 0.
func uses(t *store.Turn, name string, read, version int64, value string) *store.Turn {
	u := store.ValueUse{Plugin: "p", Name: name, Read: read, Version: version}
	if value != "" {
		u.Value = json.RawMessage(value)
	}
	t.Values = append(t.Values, u)
	return t
}

// keeps checks what is kept for ana under a name; version 0 for nothing.
func (w *world) keeps(name string, version int64, value string) {
	w.Helper()
	v, err := w.AccountValue(w.Context(), ana, "p", name)
	want := record.AccountValue{Plugin: "p", Name: name, Version: version}
	if value != "" {
		want.Value = json.RawMessage(value)
	}
	w.same("error", nil, err)
	w.same("value "+name, want, v)
}

func testValues(w *world) {
	w.keeps("a", 0, "")
	w.must(uses(uses(turnOf(message(7, 1)), "a", 0, 11, `"one"`), "b", 0, 12, `2`))
	w.keeps("a", 11, `"one"`)
	w.must(uses(uses(turnOf(message(8, 2)), "a", 11, 13, `"two"`), "b", 12, 0, "")) // only read
	w.restart()
	w.keeps("a", 13, `"two"`)
	w.keeps("b", 12, `2`)
	// A name of another plugin, or account, is another one.
	other, err := w.AccountValue(w.Context(), berk, "p", "a")
	w.same("of another account", record.AccountValue{Plugin: "p", Name: "a"}, other)
	w.same("error", nil, err)
	w.must(uses(turnOf(message(7, 3)), "a", 13, 14, ""))
	w.keeps("a", 0, "")
	w.must(uses(turnOf(message(7, 4)), "a", 0, 15, `"again"`))
	w.keeps("a", 15, `"again"`)
}

func testStaleValues(w *world) {
	w.must(uses(turnOf(message(7, 1)), "a", 0, 11, `1`))
	for _, read := range []int64{0, 10, 12} {
		for _, version := range []int64{0, 20} {
			t := says(uses(named(turnOf(message(7, 2)), 1, "stale"), "a", read, version, `2`), "stale", claiming(event.LimitUse{Limit: "once", Max: 1}))
			w.same("receipt", stale, w.bare(store.Write{Turn: t}))
		}
	}
	w.keeps("a", 11, `1`)
	w.handled(map[event.ID]bool{}, message(7, 2).ID)
	w.same("open", []string{}, w.opened())

	// Of two in a group that were made of the same, the first is stored; those behind the second in its lane are not, and
	// nobody else minds. One that was made of the first is stored behind it.
	sequence := &store.Sequence{}
	got := outcomes(w.commitAll(
		store.Write{Turn: uses(turnOf(message(7, 3)), "a", 11, 21, `3`)},
		on(sequence, uses(turnOf(message(8, 4)), "a", 11, 22, `4`)),
		on(sequence, turnOf(message(8, 5))),
		store.Write{Turn: turnOf(message(9, 6))},
		store.Write{Turn: uses(turnOf(message(9, 7)), "a", 21, 23, `7`)},
	))
	w.same("receipts", []string{"stored", "stale", "stale", "stored", "stored"}, got)
	w.keeps("a", 23, `7`)
	// A turn that was handled, or whose limit use is denied, changes nothing.
	w.same("receipt", dropped, w.commit(store.Write{Turn: uses(turnOf(message(7, 3)), "a", 23, 31, `8`)}))
	denied := uses(turnOf(message(7, 8)), "a", 23, 32, `9`)
	denied.LimitUses = []event.LimitUse{{Limit: "none", Max: -1}}
	if r := w.commit(store.Write{Turn: denied}); r.Err == nil {
		w.Error("the claim was granted")
	}
	w.keeps("a", 23, `7`)
	w.restart()
	if p := w.NextPosition(); p <= 23 {
		w.Errorf("the next position is %d", p)
	}
}

func testNamedActions(w *world) {
	one := says(turnOf(message(7, 1)), "one")
	one.Actions[0].Key = event.NamedKey("slot")
	w.must(one)
	for range 2 {
		two := says(says(uses(turnOf(message(8, 2)), "a", 0, 11, `1`), "two"), "two more")
		two.Actions[0].Key = event.NamedKey("slot")
		w.same("receipt", stale, w.bare(store.Write{Turn: two}))
		w.keeps("a", 0, "")
		w.handled(map[event.ID]bool{}, message(8, 2).ID)
		w.restart()
	}
	a, ok, err := w.Action(w.Context(), ana, event.NamedKey("slot"))
	if err != nil || !ok || a.Text != "one" {
		w.Errorf("the action is %v, %v, %v", a, ok, err)
	}
}

func testNudges(w *world) {
	nudge := event.Trigger{Kind: event.ByNudge, Key: event.Own(ana), Nudge: &event.Nudge{Name: "p/start", Number: 7}}
	w.must(turnBy(nudge))
	w.same("receipt", dropped, w.commit(store.Write{Turn: turnBy(nudge)}))
	nudge.Nudge = &event.Nudge{Name: "p/start", Number: 8}
	w.must(turnBy(nudge))
}

func testTriedRequests(w *world) {
	asked, err := w.inspector.Ask(w.Context(), event.Request{Key: event.Own(ana), Wish: event.WishTell, Subject: "p/say", Text: "hello", By: "mia"})
	if err != nil {
		w.Fatal(err)
	}
	q := asked[0]
	got, err := w.Requests(w.Context(), event.Request{}, 9)
	w.same("error", nil, err)
	w.same("requests", []event.Request{q}, got)
	try := tryOf(event.Timer{}, "1")
	try.Attempt.Timer, try.Attempt.Request = nil, &q
	w.same("receipt", stored, w.commit(try))
	w.tried(q.Trigger().ID())
	w.restart()
	w.same("facts", 1, len(w.facts(q.Trigger().ID())))
	w.must(turnBy(q.Trigger()))
	w.tried()
	w.same("receipt", stored, w.commit(try)) // of a request that had its turn
	w.tried()
}
