package store_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// testRetention: what is over and old goes, and does not come again; what waits stays.
func testRetention(t *testing.T, e engine) {
	t.Helper()
	w := newWorld(t, func(t *testing.T) database { t.Helper(); return e.fresh(t, way{keep: keepDays * day}) })
	for n := range int64(5) {
		turn := at(says(named(turnOf(message(7, n+1)), n+1, "Peer"), "hello", in(event.StateDone, 100+n)), noon)
		turn.Facts = []event.Fact{{Name: "fact", Value: raw("1"), ReadAt: noon}}
		w.must(turn)
	}
	w.must(at(says(turnOf(message(8, 6)), "waits", due(noon.Add(99*day))), noon))
	w.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 200})
	w.flush()
	w.live(noon.Add((keepDays + 1) * day))
	for range 2 {
		events, err := w.RecentEvents(w.Context(), event.Key{Account: ana, Peer: 7}, 9)
		w.same("events", []any{0, nil}, []any{len(events), err})
		_, there, err := w.Action(w.Context(), ana, "message:1/test/0")
		w.same("an old action", []any{false, nil}, []any{there, err})
		_, there, err = w.Action(w.Context(), ana, "message:6/test/0")
		w.same("one that waits", []any{true, nil}, []any{there, err})
		w.same("facts", 0, len(w.facts("message:1")))
		w.handled(map[event.ID]bool{message(7, 1).ID: true, message(8, 6).ID: true}, message(7, 1).ID, message(8, 6).ID, message(7, 7).ID)
		last, err := w.ForgottenUpTo(w.Context(), ana)
		w.same("own messages", []any{104, nil}, []any{int(last), err})
		w.isNamed(event.Key{Account: ana, Peer: 7}, 5, "Peer")
		w.same("again", dropped, w.commit(store.Write{Pending: []event.Event{message(7, 2)}, Turn: turnOf(message(8, 6))}))
		w.restart()
	}
}

// testForgotten: of a person who is forgotten nothing but marks stays.
func testForgotten(w *world) {
	key := event.Key{Account: ana, Peer: 7}
	whole := everything()
	whole.Actions[1].State, whole.Actions[1].EndedAt = event.StateDone, noon
	whole.Entries = []event.Entry{{Account: ana, List: "leads", Key: "7", Peer: 7, At: noon}}
	w.must(whole, says(turnOf(message(8, 2)), "to somebody else"))
	q := w.ask(asking(ana, 7, event.WishForget))[0]
	open, err := w.WithdrawDue(w.Context(), key, "forgotten")
	w.same("on their way", []any{0, nil}, []any{open, err})
	w.same("due", []string{}, w.due(noon.Add(time.Hour), 9))
	f := store.NewForgetting(q)
	for done := false; !done; {
		if done, err = w.ForgetPerson(w.Context(), f); err != nil {
			w.Fatal(err)
		}
	}
	yes := true
	turn := turnBy(q.Trigger())
	turn.Ignore, turn.Record.Note = &yes, "forgot her"
	w.must(turn)
	w.restart()
	events, err := w.RecentEvents(w.Context(), key, 9)
	if err != nil || len(events) != 1 || events[0].Text+events[0].Name+events[0].User+events[0].Image != "" {
		w.Errorf("her events are %+v, %v", events, err)
	}
	listed, err := w.Listed(w.Context(), key, "leads")
	w.same("on a list", []any{false, nil}, []any{listed, err})
	w.same("facts", 0, len(w.facts(whole.Trigger.ID())))
	ignored, err := w.Ignored(w.Context(), ana)
	w.same("ignored", []any{1, nil}, []any{len(ignored), err})
	c := w.conversation(key)
	if c.Name+c.User != "" || len(c.Values) > 0 || c.Owner != "support" {
		w.Errorf("the conversation is %+v", c)
	}
	w.handled(map[event.ID]bool{whole.Trigger.Event.ID: true}, whole.Trigger.Event.ID)
	w.same("open", []string{"to somebody else"}, w.opened())
}
