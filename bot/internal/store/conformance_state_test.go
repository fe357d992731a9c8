package store_test

import (
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// sets is the turn of a message that sets timers.
func sets(number int64, timers ...event.Timer) *store.Turn {
	t := turnOf(message(7, number))
	t.Timers = timers
	return t
}

func alarm(peer platform.UserID, name string, occurrence int64, due time.Time) event.Timer {
	return event.Timer{Key: event.Key{Account: ana, Peer: peer}, Name: name, Occurrence: occurrence, Due: due}
}

func testTimer(w *world) {
	timer := alarm(7, "t", 5, noon)
	w.must(sets(1, timer))
	w.restart()
	next := turnBy(byTimer(timer))
	next.Timers = []event.Timer{alarm(7, "t", 6, noon.Add(time.Hour))} // set again by its own turn
	w.must(says(next, "alarm"))
	w.same("receipt", dropped, w.commit(store.Write{Turn: turnBy(byTimer(timer))}))
	timers, _ := w.timers(noon.Add(2*time.Hour), 10)
	w.same("timers", next.Timers, timers)
	w.must(turnBy(byTimer(next.Timers[0])))
	timers, then := w.timers(noon.Add(2*time.Hour), 10)
	if len(timers) > 0 || !then.IsZero() {
		w.Errorf("timers %v, next %v", timers, then)
	}
	// The name of an occurrence that had its turn never has another, and does not stay due for ever.
	w.must(sets(2, timer))
	w.same("receipt", dropped, w.commit(store.Write{Turn: turnBy(byTimer(timer))}))
	if timers, _ := w.timers(noon.Add(2*time.Hour), 10); len(timers) > 0 {
		w.Errorf("timers %v", timers)
	}
}

func testDueTimers(w *world) {
	first, second, third := alarm(9, "a", 1, noon), alarm(7, "z", 1, noon.Add(time.Second)), alarm(8, "b", 1, noon.Add(2*time.Second))
	first.Key.Account = berk
	w.must(sets(1, third, first, second))
	for at, want := range map[time.Duration][]event.Timer{
		-time.Microsecond: nil, 0: {first}, time.Second: {first, second}, time.Hour: {first, second, third},
	} {
		got, next := w.timers(noon.Add(at), 10)
		w.same(at.String(), want, got)
		wantNext := append([]event.Timer{first, second, third}, event.Timer{})[len(want)].Due
		if !next.Equal(wantNext) {
			w.Errorf("at %v the next is due %v, want %v", at, next, wantNext)
		}
	}
	got, next := w.timers(noon.Add(time.Hour), 2)
	w.same("at most two", []event.Timer{first, second}, got)
	if !next.Equal(third.Due) {
		w.Errorf("the next is due %v", next)
	}
}

func testReplacedTimer(w *world) {
	old := alarm(7, "t", 1, noon)
	later := alarm(7, "t", 2, noon.Add(time.Hour))
	later.Data = []byte(`{"reason":"moved"}`)
	w.must(sets(1, old, alarm(7, "u", 1, noon)), sets(2, later))
	timers, next := w.timers(noon, 10)
	w.same("timers", []event.Timer{alarm(7, "u", 1, noon)}, timers)
	if !next.Equal(later.Due) {
		w.Errorf("the next is due %v", next)
	}
	w.same("the turn of the old one", dropped, w.commit(store.Write{Turn: turnBy(byTimer(old))}))
	w.must(sets(3, alarm(7, "u", 0, time.Time{}), alarm(7, "nobody's", 0, time.Time{})))
	w.same("the turn of the cancelled one", dropped, w.commit(store.Write{Turn: turnBy(byTimer(alarm(7, "u", 1, noon)))}))
	timers, _ = w.timers(noon.Add(2*time.Hour), 10)
	w.same("timers", []event.Timer{later}, timers)
}

func testFacts(w *world) {
	t := turnOf(message(7, 1))
	t.Facts = []event.Fact{{Name: "profile:7", Value: raw(`{"a":1}`), ReadAt: noon}, {Name: "once:n", Value: raw(`"x"`)}}
	w.must(t)
	timer := alarm(7, "t", 5, noon)
	w.must(sets(2, timer))
	byAlarm := turnBy(byTimer(timer))
	byAlarm.Facts = []event.Fact{{Name: "profile:7", Value: raw(`{"a":2}`), ReadAt: noon}, {Name: "profile:7", Value: raw(`{"a":3}`), ReadAt: noon}}
	w.must(byAlarm)
	for trigger, want := range map[string][]event.Fact{
		"message:1": {t.Facts[1], t.Facts[0]}, timer.ID(): byAlarm.Facts[:1], "message:2": nil,
	} {
		got, err := w.Facts(w.Context(), ana, trigger)
		w.same(trigger, want, got)
		w.same("error", nil, err)
	}
}

func testFlowStates(w *world) {
	for i, at := range []struct{ flow, state string }{
		{"order", "ask-size"}, {"survey", "q1"}, {"order", "ask-size"}, {"order", "ask-address"}, {"", ""},
	} {
		t := named(turnOf(message(platform.UserID(i+1), int64(i+1))), 1, "x")
		t.Conversation.Flow = conversation.Instance{Flow: at.flow, State: at.state}
		w.must(t)
	}
	moved := named(turnOf(message(1, 100)), 2, "x")
	moved.Conversation.Flow = conversation.Instance{Flow: "order", State: "ask-address"}
	w.must(moved)
	got, err := w.FlowStates(w.Context())
	w.same("error", nil, err)
	w.same("states", []conversation.Count{
		{Flow: "order", State: "ask-address", Conversations: 2},
		{Flow: "order", State: "ask-size", Conversations: 1},
		{Flow: "survey", State: "q1", Conversations: 1},
	}, got)
	other := named(turnOf(message(1, 101)), 1, "x")
	other.Trigger.Key.Account, other.Trigger.Event.Account, other.Conversation.Key.Account = "bo", "bo", "bo"
	other.Conversation.Flow = conversation.Instance{Flow: "order", State: "ask-size"}
	w.must(other)
	for account, want := range map[event.Account]int{ana: 1, "bo": 1, "": 2} {
		var of []event.Account
		if account != "" {
			of = append(of, account)
		}
		got, err := w.FlowStates(w.Context(), of...)
		w.same("error", nil, err)
		found := 0
		for _, c := range got {
			if c.State == "ask-size" {
				found += c.Conversations
			}
		}
		w.same("of "+string(account), want, found)
	}
}

func testCursors(w *world) {
	at := func(peer platform.UserID, id int64, mark uint64) record.Cursor {
		return record.Cursor{Account: ana, Source: event.Messages, Peer: peer, ID: id, Mark: mark, PolledAt: noon}
	}
	w.QueueCursors(at(7, 10, 1<<63+5), at(0, 3, 1))
	w.QueueCursors(at(7, 12, 1<<64-1))
	w.flush()
	w.QueueCursors(at(7, 11, 9)) // an id does not go back; the row was seen with another mark all the same
	w.QueueCursors(at(8, 30, 1), at(8, 20, 2))
	notifs := at(0, 77, 0)
	notifs.Source = event.Notifs
	w.QueueCursors(notifs)
	w.restart()
	got, err := w.Cursors(w.Context(), ana, event.Messages, []platform.UserID{7, 0, 8, 9})
	w.same("error", nil, err)
	byPeer := map[platform.UserID]record.Cursor{}
	for _, c := range got {
		byPeer[c.Peer] = c
	}
	w.same("cursors", map[platform.UserID]record.Cursor{7: at(7, 12, 9), 8: at(8, 30, 2), 0: at(0, 3, 1)}, byPeer)
	got, err = w.Cursors(w.Context(), ana, event.Notifs, []platform.UserID{0})
	w.same("cursors", []record.Cursor{notifs}, got)
	w.same("error", nil, err)
	got, err = w.Cursors(w.Context(), berk, event.Messages, []platform.UserID{0, 7})
	w.same("another's cursors", []record.Cursor(nil), got)
	w.same("error", nil, err)
}

// kept is a session.
func kept(id string) session.Kept {
	return session.Kept{
		Tokens: platform.Tokens{SessionID: platform.Secret(id), RefreshToken: "again", Expiry: noon.Add(time.Hour)},
		User:   42, Username: "ana", Obtained: noon, Identity: "whose",
	}
}

func testSession(w *world) {
	load := func(account event.Account) session.Kept {
		w.Helper()
		k, err := w.Keeper(account).LoadSession(w.Context())
		if err != nil {
			w.Fatal(err)
		}
		return k
	}
	w.same("at first", session.Kept{}, load(ana))
	for _, id := range []string{"one", "two"} {
		if err := w.Keeper(ana).SaveSession(w.Context(), kept(id)); err != nil {
			w.Fatal(err)
		}
		w.same("session", kept(id), load(ana))
	}
	w.restart()
	w.same("session after a restart", kept("two"), load(ana))
	w.same("session of another", session.Kept{}, load(berk))
}
