package store_test

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// asker stores what people ask for, beside the store.
type asker interface {
	Ask(ctx context.Context, requests ...event.Request) ([]event.Request, error)
	Answer(ctx context.Context, q event.Request) (record.Answer, bool, error)
	Event(ctx context.Context, account event.Account, id event.ID) (record.EventRow, bool, error)
	Turn(ctx context.Context, account event.Account, id string) (record.TurnRow, bool, error)
	AddEntry(ctx context.Context, e event.Entry) (bool, error)
	RemoveEntry(ctx context.Context, account event.Account, list, key string) (bool, error)
	ForgetUses(ctx context.Context, account event.Account, limit string) error
	Lists(ctx context.Context, account event.Account) ([]record.ListCount, error)
	Notices(ctx context.Context, q record.NoticeQuery) ([]event.Notice, error)
}

func (w *world) ask(requests ...event.Request) []event.Request {
	w.Helper()
	asked, err := w.inspector.Ask(w.Context(), requests...)
	if err != nil {
		w.Fatal(err)
	}
	return asked
}

// waiting returns what is asked for.
func (w *world) waiting() []event.Request {
	w.Helper()
	requests, err := w.Requests(w.Context(), event.Request{}, 100)
	if err != nil {
		w.Fatal(err)
	}
	return requests
}

func (w *world) answer(q event.Request) (record.Answer, bool) {
	w.Helper()
	a, ok, err := w.inspector.Answer(w.Context(), q)
	if err != nil {
		w.Fatal(err)
	}
	return a, ok
}

func asking(account event.Account, peer platform.UserID, wish event.Wish) event.Request {
	return event.Request{Key: event.Key{Account: account, Peer: peer}, Wish: wish}
}

// testRequests: what people ask for comes back as it was asked, by account and in its order.
func testRequests(w *world) {
	retry, release, takeOver := asking(ana, 7, event.WishRetry), asking(ana, 7, event.WishRelease), asking(berk, 9, event.WishTakeOver)
	retry.Events = []event.ID{{Source: event.Messages, Number: 501}, {Source: event.Notifs, Number: 7}}
	release.Action = "message:501/a route/0"
	takeOver.Owner, takeOver.Until = "the team", noon
	asked := w.ask(retry, release, takeOver, asking(ana, 8, event.WishRetry), asking(ana, 7, event.WishGiveBack))
	for i := range asked {
		asked[i].AskedAt = asked[i].AskedAt.Round(0).Truncate(time.Microsecond)
	}
	first, last := ana, berk
	if ana.Shard() > berk.Shard() {
		first, last = berk, ana
	}
	var want []event.Request
	for _, account := range []event.Account{first, last} {
		for _, q := range asked {
			if q.Key.Account == account {
				want = append(want, q)
			}
		}
	}
	w.restart()
	got := w.waiting()
	w.same("requests", want, got)
	for i := range got {
		rest, err := w.Requests(w.Context(), got[i], 1)
		w.same("behind it", append([]event.Request{}, got[i+1:min(i+2, len(got))]...), append([]event.Request{}, rest...))
		w.same("error", nil, err)
	}
	if asked[0].Number >= asked[1].Number || asked[3].Number >= asked[4].Number {
		w.Errorf("the numbers do not grow: %v", asked)
	}
}

// testRequestOnce: a request has its turn once, and a number is not given again.
func testRequestOnce(w *world) {
	q := w.ask(asking(ana, 7, event.WishTakeOver))[0]
	if _, ok := w.answer(q); ok {
		w.Error("there is an answer before the turn")
	}
	stale := named(turnBy(q.Trigger()), 5, "stale")
	w.same("receipt", store.Receipt{Err: store.ErrStale}, w.commit(store.Write{Turn: stale}))
	if len(w.waiting()) != 1 {
		w.Error("a turn that was not stored has used up its request")
	}
	turn := says(named(turnBy(q.Trigger()), 1, "taken"), "one")
	turn.Record.Note = "taken over"
	w.must(turn)
	w.same("waiting", 0, len(w.waiting()))
	w.same("receipt", store.Receipt{Dropped: true}, w.commit(store.Write{Turn: turn}))
	w.same("open", []string{"one"}, w.opened())
	a, ok := w.answer(q)
	w.same("answer", record.Answer{Outcome: "handled", Note: "taken over", At: noon}, a)
	w.same("there is an answer", true, ok)
	next := w.ask(asking(ana, 7, event.WishGiveBack))[0]
	if next.Number <= q.Number {
		w.Errorf("number %d comes after %d", next.Number, q.Number)
	}
	forged := event.Request{Key: q.Key, Number: next.Number + 1, Wish: event.WishGiveBack}
	w.same("a request that nobody made", store.Receipt{Dropped: true}, w.commit(store.Write{Turn: turnBy(forged.Trigger())}))
}

// decides is a turn about an action that is held.
func decides(q event.Request, a event.Action, state event.State) *store.Turn {
	t := turnBy(q.Trigger())
	a.State, a.Position, a.Reason, a.ReconcileFrom = state, 99, "because", 0
	t.Actions = []record.Action{{Action: a, Held: true}}
	return t
}

// testHeld: a decision about an action takes effect as long as it is held, with the turn or not at all.
func testHeld(w *world) {
	one := says(turnOf(message(7, 1)), "one")
	two := says(turnOf(message(7, 2)), "two")
	w.must(one, two)
	if err := w.MarkNow(w.Context(), mark(one, event.StateHeld, 0), mark(two, event.StateHeld, 0)); err != nil {
		w.Fatal(err)
	}
	held, ok, err := w.Action(w.Context(), ana, one.Actions[0].Key)
	if err != nil || !ok || held.State != event.StateHeld || held.Text != "one" {
		w.Fatalf("the action is %+v, %v, %v", held, ok, err)
	}
	if _, ok, err := w.Action(w.Context(), berk, one.Actions[0].Key); ok || err != nil {
		w.Errorf("another account has it, %v", err)
	}
	asked := w.ask(asking(ana, 7, event.WishRelease), asking(ana, 7, event.WishRelease), asking(ana, 7, event.WishDrop))
	w.must(decides(asked[0], one.Actions[0].Action, event.StateSending))
	w.same("open", []string{"one"}, w.opened())
	again := named(decides(asked[1], one.Actions[0].Action, event.StateSending), 1, "no")
	w.same("receipt", store.Receipt{Err: store.ErrStale}, w.commit(store.Write{Turn: again}))
	w.isNamed(asked[0].Key, 0, "")
	w.same("waiting", 2, len(w.waiting()))
	w.must(decides(asked[2], two.Actions[0].Action, event.StateWithdrawn))
	w.same("open", []string{"one"}, w.opened())
	dropped, _, err := w.Action(w.Context(), ana, two.Actions[0].Key)
	w.same("error", nil, err)
	if dropped.State != event.StateWithdrawn || dropped.Reason != "because" || dropped.Position != 99 {
		w.Errorf("the action is %+v", dropped)
	}
}

// testStrays: what left before it was held may be there, whatever a person decides about it, and however often.
func testStrays(w *world) {
	left := says(turnOf(message(7, 1)), "left")
	posted := says(turnOf(message(8, 2)), "posted", func(a *record.Action) { a.Verb, a.Post = event.VerbPost, 31 })
	liked := says(turnOf(message(8, 3)), "", func(a *record.Action) { a.Verb, a.Post = event.VerbLike, 31 })
	asked := says(turnOf(message(8, 4)), "not left", func(a *record.Action) { a.State, a.LeftAt = event.StateHeld, time.Time{} })
	w.must(left, posted, liked, asked)
	held := func(t *store.Turn, leftAt time.Time, result int64) event.Action {
		m := mark(t, event.StateHeld, result)
		m.LeftAt, m.ReconcileFrom = leftAt, 40
		w.same("error", nil, w.MarkNow(w.Context(), m))
		a, _, err := w.Action(w.Context(), ana, m.Key)
		w.same("error", nil, err)
		return a
	}
	decide := func(a event.Action, wish event.Wish, state event.State, text string) {
		a.Text = text
		if state != event.StateWithdrawn {
			a.LeftAt, a.Result = time.Time{}, 0
		}
		w.must(decides(w.ask(asking(ana, a.Peer, wish))[0], a, state))
	}
	decide(held(left, noon, 0), event.WishEdit, event.StateSending, "edited")
	decide(held(posted, noon.Add(time.Second), 900), event.WishDrop, event.StateWithdrawn, "posted")
	decide(held(liked, noon, 0), event.WishDrop, event.StateWithdrawn, "")
	decide(asked.Actions[0].Action, event.WishDrop, event.StateWithdrawn, "not left")
	decide(held(left, noon.Add(2*time.Second), 0), event.WishDrop, event.StateWithdrawn, "edited")
	want := []event.Action{
		{Account: ana, Peer: 7, Verb: event.VerbMessage, Text: "left", LeftAt: noon},
		{Account: ana, Peer: 8, Verb: event.VerbPost, Text: "posted", Post: 31, LeftAt: noon.Add(time.Second)},
		{Account: ana, Peer: 7, Verb: event.VerbMessage, Text: "edited", LeftAt: noon.Add(2 * time.Second)},
	}
	for range 2 {
		for _, limit := range []int{9, 2} {
			got, err := w.HeldActions(w.Context(), ana, limit)
			w.same("error", nil, err)
			for i := range got {
				w.same("state", event.StateHeld, got[i].State)
				w.same("settles from", int64(40), got[i].ReconcileFrom)
				got[i].Key, got[i].State, got[i].ReconcileFrom = "", "", 0
			}
			w.same("held", want[max(0, len(want)-limit):], got)
		}
		got, err := w.HeldActions(w.Context(), berk, 9)
		w.same("of another account", []any{0, nil}, []any{len(got), err})
		w.restart()
	}
}

// quarantined stores events as quarantined.
func (w *world) quarantine(events ...event.Event) {
	w.Helper()
	for _, e := range events {
		a := &store.Attempt{Event: e, Tries: 5, Quarantined: true, Record: event.DecisionRecord{Outcome: "quarantined", Note: "try 5"}, At: noon}
		if r := w.commit(store.Write{Attempt: a}); r.Err != nil {
			w.Fatal(r.Err)
		}
	}
}

// testRetry: quarantined events wait again in their order, late, with no tries behind them.
func testRetry(w *world) {
	one, two, three, other := message(7, 1), message(7, 2), message(7, 3), message(8, 4)
	w.quarantine(three, one, other, two)
	key := one.Key()
	events, err := w.QuarantinedEvents(w.Context(), key)
	w.same("error", nil, err)
	w.same("quarantined", []store.PendingEvent{{Event: one, Tries: 5}, {Event: two, Tries: 5}, {Event: three, Tries: 5}}, events)
	asked := w.ask(asking(ana, 7, event.WishRetry), asking(ana, 7, event.WishRetry))
	retry := turnBy(asked[0].Trigger())
	retry.Retry = []event.Event{one, three}
	w.must(retry)
	again := turnBy(asked[1].Trigger())
	again.Retry = []event.Event{two, three}
	w.same("receipt", store.Receipt{Err: store.ErrStale}, w.commit(store.Write{Turn: again}))
	w.restart()
	pending, err := w.PendingEvents(w.Context(), ana, 0, 10)
	w.same("error", nil, err)
	w.same("pending", []store.PendingEvent{{Event: one, Late: true}, {Event: three, Late: true}}, pending)
	events, err = w.QuarantinedEvents(w.Context(), key)
	w.same("error", nil, err)
	w.same("quarantined", []store.PendingEvent{{Event: two, Tries: 5}}, events)
	w.quarantine(one) // it failed again
	w.must(turnOf(three))
	w.same("pending", []string{}, w.pending(0))
	w.handled(map[event.ID]bool{one.ID: false, three.ID: true}, one.ID, three.ID)
}
