package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// noon is the time at which tests begin. Microseconds are what a store keeps.
var noon = time.Date(2030, 5, 1, 12, 0, 0, 123_456_000, time.UTC)

const (
	ana  = event.Account("ana")
	berk = event.Account("berk")
)

// tb is a test, or a try of a property.
type tb interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

// world is a store under test, and what is needed to talk to it.
type world struct {
	tb
	store.Store
	open      func() store.Store // opens the same database again
	inspector asker
}

// newWorld opens a fresh store; it is closed with the test.
func newWorld(t *testing.T, fresh func(t *testing.T) database) *world {
	t.Helper()
	db := fresh(t)
	w := &world{tb: t, open: db.open}
	w.Store = w.open()
	w.inspector = db.inspector()
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// restart closes the store and opens it again.
func (w *world) restart() {
	w.Helper()
	if err := w.Close(); err != nil {
		w.Fatal(err)
	}
	w.Store = w.open()
}

// commit commits a write and waits for its receipt.
func (w *world) commit(x store.Write) store.Receipt {
	w.Helper()
	return w.commitAll(x)[0]
}

// commitAll commits writes so that they make one group, and waits for their receipts.
func (w *world) commitAll(writes ...store.Write) []store.Receipt {
	w.Helper()
	held, free, got := make(chan bool), make(chan bool), make(chan store.Receipt, len(writes))
	w.Commit(store.Write{Done: func(store.Receipt) { close(held); <-free }})
	<-held
	for _, x := range writes {
		x.Done = func(r store.Receipt) { got <- r }
		w.Commit(x)
	}
	close(free)
	receipts := make([]store.Receipt, len(writes))
	for i := range receipts {
		receipts[i] = <-got
	}
	return receipts
}

// must commits a turn that has to be stored, with all its actions.
func (w *world) must(turns ...*store.Turn) {
	w.Helper()
	for _, turn := range turns {
		if r := w.commit(store.Write{Turn: turn}); r.Err != nil || r.Dropped || len(r.Denied) > 0 {
			w.Fatalf("the turn of %s: %+v", turn.Trigger.ID(), r)
		}
	}
}

// flush stores what was queued lazily.
func (w *world) flush() {
	w.Helper()
	if err := w.MarkNow(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func (w *world) same(what string, want, got any) {
	w.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateErrors()); d != "" {
		w.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// message is a message of a peer of ana.
func message(peer platform.UserID, number int64) event.Event {
	return event.Event{
		Account: ana, ID: event.ID{Source: event.Messages, Number: number}, Kind: event.KindMessage, Peer: peer,
		Name: "Peer", User: "peer", Text: fmt.Sprintf("message %d", number), SeenAt: noon, NotBefore: noon.Add(-time.Minute), SaidAt: noon.Add(-time.Second),
	}
}

func byEvent(e event.Event) event.Trigger {
	return event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}
}

func byTimer(t event.Timer) event.Trigger {
	return event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t}
}

// turnOf is the turn of an event that does nothing.
func turnOf(e event.Event) *store.Turn { return turnBy(byEvent(e)) }

func turnBy(trigger event.Trigger) *store.Turn {
	return &store.Turn{Trigger: trigger, Record: event.DecisionRecord{Route: "test", Outcome: "handled"}, At: noon}
}

// says adds a message to a turn.
func says(t *store.Turn, text string, change ...func(*record.Action)) *store.Turn {
	a := record.Action{Action: event.Action{
		Key: fmt.Sprintf("%s/test/%d", t.Trigger.ID(), len(t.Actions)), Account: t.Trigger.Key.Account, Peer: t.Trigger.Key.Peer,
		Verb: event.VerbMessage, Text: text, State: event.StateSending, Due: noon, Position: 1, ReconcileFrom: 1, DecidedAt: noon, LeftAt: noon,
	}}
	for _, f := range change {
		f(&a)
	}
	t.Actions = append(t.Actions, a)
	return t
}

func due(at time.Time) func(*record.Action) {
	return func(a *record.Action) { a.State, a.Due, a.LeftAt = event.StateDue, at, time.Time{} }
}

func claiming(limitUses ...event.LimitUse) func(*record.Action) {
	return func(a *record.Action) { a.LimitUses = limitUses }
}

// named changes the conversation of a turn: it has this version and name.
func named(t *store.Turn, version int64, name string) *store.Turn {
	t.Conversation = &conversation.State{Key: t.Trigger.Key, Version: version, Name: name}
	return t
}

func (w *world) conversation(key event.Key) conversation.State {
	w.Helper()
	c, err := w.Conversation(w.Context(), key)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *world) isNamed(key event.Key, version int64, name string) {
	w.Helper()
	if c := w.conversation(key); c.Version != version || c.Name != name {
		w.Errorf("the conversation with %d has version %d and name %q, want %d and %q", key.Peer, c.Version, c.Name, version, name)
	}
}

// handled checks which of ana's events are stored, and whether as handled.
func (w *world) handled(want map[event.ID]bool, ids ...event.ID) {
	w.Helper()
	got, err := w.StoredEvents(w.Context(), ana, ids)
	if err != nil {
		w.Fatal(err)
	}
	w.same("stored events", want, got)
}

// pending returns the ids of ana's events that wait.
func (w *world) pending(peer platform.UserID) []string {
	w.Helper()
	events, err := w.PendingEvents(w.Context(), ana, int64(peer), 100)
	if err != nil {
		w.Fatal(err)
	}
	ids := []string{}
	for _, e := range events {
		ids = append(ids, e.ID.String())
	}
	return ids
}

// opened returns ana's actions that may have left, by their texts.
func (w *world) opened() []string {
	w.Helper()
	actions, err := w.Open(w.Context(), ana)
	if err != nil {
		w.Fatal(err)
	}
	return texts(actions)
}

// due returns ana's actions that are due at a time.
func (w *world) due(at time.Time, limit int, except ...platform.UserID) []string {
	w.Helper()
	actions, err := w.DueActions(w.Context(), ana, at, except, limit)
	if err != nil {
		w.Fatal(err)
	}
	return texts(actions)
}

func texts(actions []event.Action) []string {
	list := []string{}
	for i := range actions {
		list = append(list, actions[i].Text)
	}
	return list
}

// timers returns the timers that are due at a time, and when the next one is.
func (w *world) timers(at time.Time, limit int) ([]event.Timer, time.Time) {
	w.Helper()
	due, next, err := w.DueTimers(w.Context(), at, limit)
	if err != nil {
		w.Fatal(err)
	}
	var timers []event.Timer
	for i := range due {
		timers = append(timers, due[i].Timer)
	}
	return timers, next
}

// mark ends the first action of a turn.
func mark(t *store.Turn, state event.State, result int64) outbox.Mark {
	a := t.Actions[0].Action
	a.State, a.Result, a.Tries, a.EndedAt = state, result, 1, noon.Add(time.Second)
	return outbox.MarkOf(&a)
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }
