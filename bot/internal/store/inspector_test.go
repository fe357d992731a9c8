package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// inspector is an inspector under test.
type inspector struct {
	*store.Inspector
	t *testing.T
}

// openInspector opens an inspector that has to open; it is closed with the test.
func openInspector(t *testing.T, path string) *inspector {
	t.Helper()
	d, err := store.OpenInspector(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return &inspector{d, t}
}

func (d *inspector) ask(requests ...event.Request) []event.Request {
	d.t.Helper()
	asked, err := d.Ask(d.t.Context(), requests...)
	if err != nil {
		d.t.Fatal(err)
	}
	return asked
}

// events returns the ids of events.
func (d *inspector) events(q record.EventQuery) []string {
	d.t.Helper()
	rows, err := d.Events(d.t.Context(), q)
	if err != nil {
		d.t.Fatal(err)
	}
	ids := []string{}
	for i := range rows {
		ids = append(ids, rows[i].ID.String())
	}
	return ids
}

// actions returns the texts of actions.
func (d *inspector) actions(q record.ActionQuery) []string {
	d.t.Helper()
	found, err := d.Actions(d.t.Context(), q)
	if err != nil {
		d.t.Fatal(err)
	}
	return texts(found)
}

func TestInspectorListsEvents(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	at := func(peer platform.UserID, source event.Source, number int64, minutes int) event.Event {
		e := message(peer, number)
		e.ID.Source, e.SeenAt = source, noon.Add(time.Duration(minutes)*time.Minute)
		return e
	}
	f.must(turnOf(at(7, event.Messages, 1, 1)), turnOf(at(8, event.Notifs, 2, 2)), turnOf(at(7, event.Mentions, 3, 3)))
	f.must(turnOf(at(8, event.Snapshots, 99, 4)), turnOf(at(8, event.Snapshots, 5, 5)))
	f.quarantine(at(7, event.Messages, 6, 6), at(8, event.Messages, 7, 7))
	if r := f.commit(store.Write{Pending: []event.Event{at(7, event.Messages, 8, 8)}}); r.Err != nil {
		t.Fatal(r.Err)
	}
	d := openInspector(t, f.path)
	for name, c := range map[string]struct {
		query record.EventQuery
		want  []string
	}{
		"newest":               {record.EventQuery{Limit: 4}, []string{"message:8", "message:7", "message:6", "chat:5"}},
		"all":                  {record.EventQuery{Limit: 99}, []string{"message:8", "message:7", "message:6", "chat:5", "chat:99", "mention:3", "notif:2", "message:1"}},
		"since":                {record.EventQuery{Since: noon.Add(7 * time.Minute), Limit: 99}, []string{"message:8", "message:7"}},
		"of one":               {record.EventQuery{Peer: 7, Limit: 3}, []string{"message:8", "message:6", "mention:3"}},
		"of one since":         {record.EventQuery{Peer: 7, Since: noon.Add(6 * time.Minute), Limit: 9}, []string{"message:8", "message:6"}},
		"quarantined":          {record.EventQuery{State: record.EventQuarantined, Limit: 9}, []string{"message:7", "message:6"}},
		"one quarantined":      {record.EventQuery{State: record.EventQuarantined, Limit: 1}, []string{"message:7"}},
		"quarantined of one":   {record.EventQuery{State: record.EventQuarantined, Peer: 7, Limit: 9}, []string{"message:6"}},
		"pending":              {record.EventQuery{State: record.EventPending, Limit: 9}, []string{"message:8"}},
		"pending, but not now": {record.EventQuery{State: record.EventPending, Since: noon.Add(time.Hour), Limit: 9}, []string{}},
	} {
		c.query.Account = ana
		f.same(name, c.want, d.events(c.query))
		c.query.Account = berk
		f.same(name+" of another account", []string{}, d.events(c.query))
	}
	e, ok, err := d.Event(t.Context(), ana, event.ID{Source: event.Messages, Number: 6})
	want := record.EventRow{
		Event: at(7, event.Messages, 6, 6), State: record.EventQuarantined, Tries: 5,
		Record: event.DecisionRecord{Outcome: "quarantined", Note: "try 5"},
	}
	f.same("row", want, e)
	if !ok || err != nil {
		t.Error(ok, err)
	}
	if _, ok, err := d.Event(t.Context(), ana, event.ID{Source: event.Messages, Number: 60}); ok || err != nil {
		t.Error(ok, err)
	}
}

func TestInspectorListsActions(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	decided := func(minutes int) func(*record.Action) {
		return func(a *record.Action) {
			a.DecidedAt, a.Position = noon.Add(time.Duration(minutes)*time.Minute), int64(minutes)
		}
	}
	held := says(turnOf(message(7, 1)), "held", decided(1))
	older := says(turnOf(message(8, 2)), "held before", decided(0))
	f.must(held, older, says(turnOf(message(7, 3)), "sending", decided(2)))
	f.must(says(turnOf(message(7, 4)), "later", decided(3), due(noon.Add(2*time.Hour))), says(turnOf(message(8, 5)), "sooner", decided(4), due(noon.Add(time.Hour))))
	f.must(says(turnOf(message(7, 6)), "soonest", decided(5), due(noon)))
	f.must(turnOf(message(7, 7)), turnOf(message(7, 8))) // nothing was done about them
	h, o := mark(held, event.StateHeld, 0), mark(older, event.StateHeld, 0)
	if err := f.MarkNow(t.Context(), h, o); err != nil {
		t.Fatal(err)
	}
	d := openInspector(t, f.path)
	for name, c := range map[string]struct {
		query record.ActionQuery
		want  []string
	}{
		"held":          {record.ActionQuery{State: event.StateHeld, Limit: 9}, []string{"held", "held before"}},
		"one held":      {record.ActionQuery{State: event.StateHeld, Limit: 1}, []string{"held"}},
		"held of one":   {record.ActionQuery{State: event.StateHeld, Peer: 8, Limit: 9}, []string{"held before"}},
		"sending":       {record.ActionQuery{State: event.StateSending, Limit: 9}, []string{"sending"}},
		"unsure":        {record.ActionQuery{State: event.StateInDoubt, Limit: 9}, []string{}},
		"due":           {record.ActionQuery{State: event.StateDue, Limit: 9}, []string{"soonest", "sooner", "later"}},
		"due of one":    {record.ActionQuery{State: event.StateDue, Peer: 7, Limit: 9}, []string{"soonest", "later"}},
		"first of one":  {record.ActionQuery{State: event.StateDue, Peer: 7, Limit: 1}, []string{"soonest"}},
		"all of one":    {record.ActionQuery{Peer: 7, Limit: 9}, []string{"soonest", "later", "sending", "held"}},
		"newest of one": {record.ActionQuery{Peer: 7, Limit: 1}, []string{"soonest"}},
	} {
		c.query.Account = ana
		f.same(name, c.want, d.actions(c.query))
	}
}

func TestInspectorKnowsPeople(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	for i, owner := range []string{"", "team", "ines"} {
		turn := named(turnOf(message(platform.UserID(7+i), int64(i))), 1, "Peer")
		turn.Conversation.User, turn.Conversation.Owner, turn.Conversation.OwnerSince = fmt.Sprintf("Peer%d", i), owner, noon.Add(time.Duration(i)*time.Hour)
		turn.Timers = []event.Timer{alarm(turn.Trigger.Key.Peer, "back", 1, noon.Add(time.Hour))}
		f.must(turn)
	}
	stuck := message(20, 50)
	stuck.User = "first_time"
	f.quarantine(stuck)
	for _, a := range []event.Account{ana, berk} {
		for _, s := range []event.Source{event.Messages, event.Notifs} {
			f.QueueCursors(record.Cursor{Account: a, Source: s, ID: 500, Mark: 1, PolledAt: noon})
		}
	}
	f.flush()
	d := openInspector(t, f.path)
	accounts, err := d.Accounts(t.Context())
	f.same("error", nil, err)
	f.same("accounts", 2, len(accounts))
	for user, want := range map[string][]event.Peer{
		"peer1": {{ID: 8, Name: "Peer", User: "Peer1"}}, "FIRST_TIME": {{ID: 20, Name: "Peer", User: "first_time"}}, "nobody": nil, "": nil,
	} {
		got, err := d.PeersNamed(t.Context(), ana, user)
		f.same("error", nil, err)
		f.same("people named "+user, want, got)
	}
	peers := func(rows []record.ConversationRow, err error) []platform.UserID {
		t.Helper()
		f.same("error", nil, err)
		ids := []platform.UserID{}
		for i := range rows {
			ids = append(ids, rows[i].Key.Peer)
		}
		return ids
	}
	f.same("owned", []platform.UserID{9, 8}, peers(d.Owned(t.Context(), record.ConversationQuery{Account: ana, Limit: 9})))
	f.same("owned by ines", []platform.UserID{9}, peers(d.Owned(t.Context(), record.ConversationQuery{Account: ana, Owner: "ines", Limit: 9})))
	f.same("the last one owned", []platform.UserID{9}, peers(d.Owned(t.Context(), record.ConversationQuery{Account: ana, Limit: 1})))
	f.same("some", []platform.UserID{7, 9}, peers(d.Conversations(t.Context(), ana, []platform.UserID{7, 9, 20})))
	due, err := d.Timer(t.Context(), event.Key{Account: ana, Peer: 8}, "back")
	f.same("error", nil, err)
	f.same("timer", noon.Add(time.Hour), due)
}

func TestInspectorSeesWhetherABotRuns(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	d := openInspector(t, f.path)
	running := func(want bool) {
		t.Helper()
		if got, err := d.Running(); got != want || err != nil {
			t.Errorf("running: %v, %v", got, err)
		}
	}
	running(true)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	running(false)
	q := d.ask(asking(ana, 7, event.WishGiveBack))[0]
	f.Store = f.open()
	running(true)
	f.same("waiting", []int64{q.Number}, []int64{f.waiting()[0].Number})
}

// A look whether a bot runs keeps none from starting.
func TestInspectorDoesNotKeepABotFromStarting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	if err := openFile(t, store.Options{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	d := openInspector(t, path)
	ctx, stop := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	looking.Go(func() {
		for ctx.Err() == nil {
			if _, err := d.Running(); err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		if err := openFile(t, store.Options{Path: path, Fast: true}).Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	looking.Wait()
}

// An inspector and a bot that write at the same time wait for each other.
func TestInspectorBesideAWriter(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	f := newFile(t)
	d := openInspector(t, f.path)
	const many = 200
	var both sync.WaitGroup
	both.Go(func() {
		for i := range many {
			if r := f.commit(store.Write{Turn: says(turnOf(message(7, int64(i))), "x")}); r.Err != nil {
				t.Error(r.Err)
			}
		}
	})
	for range many {
		d.ask(asking(ana, 7, event.WishRetry))
	}
	both.Wait()
	if n := len(d.actions(record.ActionQuery{Account: ana, Peer: 7, Limit: 2 * many})); n != many {
		t.Errorf("%d turns are stored", n)
	}
	requests, err := f.Requests(t.Context(), event.Request{}, 2*many)
	if err != nil || len(requests) != many {
		t.Errorf("%d requests, %v", len(requests), err)
	}
}

// A request that cannot be read comes to nothing: it is taken up like one that nobody knows how to do, and
// those behind it are heard.
func TestARequestThatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	d := openInspector(t, f.path)
	retry := asking(ana, 7, event.WishRetry)
	retry.Events = []event.ID{{Source: event.Messages, Number: 1}, {Source: event.Messages, Number: 2}}
	damaged, next := d.ask(retry)[0], d.ask(asking(ana, 7, event.WishGiveBack))[0]
	change(t, f.path, `UPDATE request SET subject = 'message:1 messag:2' WHERE number = $1`, damaged.Number)
	requests, err := f.Requests(t.Context(), event.Request{}, 10)
	if err != nil || len(requests) != 2 || requests[1].Number != next.Number {
		t.Fatalf("%v, %v", requests, err)
	}
	f.same("wish", event.Wish("retry message:1 messag:2"), requests[0].Wish)
	f.same("events", 0, len(requests[0].Events))
	f.must(turnBy(requests[0].Trigger()))
	f.same("waiting", []event.Request{requests[1]}, f.waiting())
}

func TestInspectorOfWhatIsNoStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Join(dir, "old.db")
	if err := openFile(t, store.Options{Path: old}).Close(); err != nil {
		t.Fatal(err)
	}
	change(t, old, `DELETE FROM schema_version WHERE version_id > 2`)
	for path, want := range map[string]error{old: record.ErrOlder, filepath.Join(dir, "none.db"): nil} {
		d, err := store.OpenInspector(t.Context(), path, "")
		if err == nil {
			t.Errorf("%s opens: %v", path, d.Close())
		} else if want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
