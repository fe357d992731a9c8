package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// connect opens a connection of another program's.
func connect(t *testing.T, path string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// change changes the database behind the store's back.
func change(t *testing.T, path, text string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)") // beside a store that writes
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), text, args...); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestAFullDisk: nothing that was acknowledged is lost, what nobody waits for is stored once there is
// room, and the log says it twice: when it begins and when it ends.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	first := says(named(turnOf(message(7, 1)), 1, "first"), "first")
	f.must(first)
	if err := f.db.Pragma("max_page_count(1)"); err != nil { // as many as there are
		t.Fatal(err)
	}
	f.QueueMarks(mark(first, event.StateDone, 900))
	f.QueueCursors(record.Cursor{Account: ana, Source: event.Messages, ID: 1, PolledAt: noon})
	sequence, last, failed := &store.Sequence{}, int64(1), 0
	for failed < 3 { // every try is long: soon there is no page left
		turn := named(turnOf(message(7, last+1)), last+1, strings.Repeat("long ", 2000))
		switch r := f.commit(on(sequence, turn)); {
		case r.Err == nil:
			last++
		case errors.Is(r.Err, store.ErrUnfit), errors.Is(r.Err, store.ErrStale):
			t.Fatal(r.Err)
		default:
			if !strings.Contains(r.Err.Error(), "make room on the disk") || strings.Contains(r.Err.Error(), "\n") {
				t.Errorf("the error is %q", r.Err)
			}
			failed++
			sequence = &store.Sequence{}
		}
	}
	sequence = &store.Sequence{}
	receipts := f.commitAll(on(sequence, long(last+1)), on(sequence, long(last+2)), on(&store.Sequence{}, long(last+3)))
	if receipts[0].Err == nil || !errors.Is(receipts[1].Err, store.ErrStale) || receipts[2].Err == nil || errors.Is(receipts[2].Err, store.ErrStale) {
		t.Errorf("receipts %+v", receipts)
	}
	if c := f.conversation(first.Trigger.Key); c.Version != last {
		t.Errorf("version %d, want %d", c.Version, last)
	}
	if err := f.db.Pragma("max_page_count(1000000)"); err != nil {
		t.Fatal(err)
	}
	f.must(named(turnOf(message(7, last+1)), last+1, "at last"))
	f.restart()
	f.isNamed(first.Trigger.Key, last+1, "at last")
	f.same("open", []string{}, f.opened())
	cursors, err := f.Cursors(t.Context(), ana, event.Messages, []platform.UserID{0})
	if err != nil || len(cursors) != 1 {
		t.Errorf("cursors %v, error %v", cursors, err)
	}
	if log := f.log.lines(); len(log) != 2 || !strings.Contains(log[0], "level=ERROR") || !strings.Contains(log[1], "level=INFO") {
		t.Errorf("the log is %q", log)
	}
}

func long(n int64) *store.Turn {
	return named(turnOf(message(platform.UserID(100+n), n)), 1, strings.Repeat("long ", 2000))
}

// TestOneThatTheDatabaseRefuses: a turn that the database does not take is taken out of its group, and
// the decisions about the others are made as if it had never been there.
func TestOneThatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	change(t, f.path, `CREATE TRIGGER poison BEFORE INSERT ON action WHEN new.text = 'poison' BEGIN SELECT raise(ABORT, 'no poison'); END`)
	once := claiming(event.LimitUse{Limit: "once", Max: 1})
	sequence := &store.Sequence{}
	poisoned := says(says(named(turnOf(message(7, 2)), 2, "poisoned"), "wants it first", once, due(noon)), "poison")
	writes := []store.Write{
		on(sequence, named(turnOf(message(7, 1)), 1, "before")),
		on(sequence, poisoned),
		on(sequence, named(turnOf(message(7, 3)), 3, "after")),
		{Turn: says(turnOf(message(8, 4)), "gets it", once, due(noon))},
		{Turn: says(turnOf(message(9, 5)), "does not", once, due(noon))},
		{Turn: says(turnOf(message(9, 5)), "is dropped", due(noon))},
		{Pending: []event.Event{message(9, 6)}},
	}
	receipts := f.commitAll(writes...)
	f.same("receipts", []string{"stored", "unfit", "stale", "stored", "stored", "dropped", "stored"}, outcomes(receipts))
	f.same("denied", []int{0}, receipts[4].Denied)
	f.same("due", []string{"gets it"}, f.due(noon, 10))
	f.isNamed(event.Key{Account: ana, Peer: 7}, 1, "before")
	f.handled(map[event.ID]bool{message(7, 1).ID: true, message(9, 5).ID: true, message(9, 6).ID: false},
		message(7, 1).ID, message(7, 2).ID, message(7, 3).ID, message(9, 5).ID, message(9, 6).ID)
	if err := receipts[1].Err; !strings.Contains(fmt.Sprint(err), "no poison") {
		t.Errorf("the error is %v", err)
	}
	change(t, f.path, `DROP TRIGGER poison`)
	r := f.commit(on(&store.Sequence{}, poisoned))
	f.same("receipt", store.Receipt{Denied: []int{0}}, r)
	if log := f.log.lines(); len(log) != 1 || log[0] != "" {
		t.Errorf("the log is %q", log)
	}
}

// TestMarksThatTheDatabaseRefuses: they are given up, and do not hold up those after them for ever.
func TestMarksThatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	f := newFile(t)
	one, two := says(turnOf(message(7, 1)), "one"), says(turnOf(message(7, 2)), "two")
	f.must(one, two)
	change(t, f.path, `CREATE TRIGGER poison BEFORE UPDATE ON action WHEN new.text = 'one' BEGIN SELECT raise(ABORT, 'no poison'); END`)
	f.QueueMarks(mark(one, event.StateDone, 5))
	f.flush()
	f.QueueMarks(mark(two, event.StateDone, 6))
	f.flush()
	f.same("open", []string{"one"}, f.opened())
	if log := f.log.lines(); len(log) != 1 || !strings.Contains(log[0], "no poison") {
		t.Errorf("the log is %q", log)
	}
}
