//go:build unix

package store_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
	"github.com/nectar-bot/nectar/bot/record"
)

// refuses checks that a store takes nothing any more, for a reason, and that nothing of what it was given is stored.
func refuses(t *testing.T, w *world, url string, reason error) {
	t.Helper()
	for n := range int64(2) {
		if r := w.commit(store.Write{Turn: turnOf(message(9, 90+n))}); !errors.Is(r.Err, reason) {
			t.Errorf("the receipt is %+v, and was to be %v", r, reason)
		}
	}
	if rows := sqlOn(t, url, `SELECT number FROM event WHERE number >= 90`); len(rows) > 0 {
		t.Errorf("stored is %v", rows)
	}
}

// TestOneProcessPerServer: a database has one process until it ends, however it does, and inspectors see it.
func TestOneProcessPerServer(t *testing.T) {
	t.Parallel()
	s := pgServer(t)
	url := s.schema(t)
	inspector := openServerInspector
	first := openServer(t, store.Options{Path: url, Key: "key"})
	d := inspector(t, url)
	runs := func(want bool) {
		t.Helper()
		if got, err := d.Running(); got != want || err != nil {
			t.Errorf("a bot runs: %v, %v", got, err)
		}
	}
	runs(true)
	doesNotOpen(t, url, "key", record.ErrInUse, "another process runs on this database")
	other := openServer(t, store.Options{Path: s.schema(t), Key: "key"}) // in a schema of its own
	if err := errors.Join(first.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	runs(false)
	if err := openServer(t, store.Options{Path: url, Key: "key"}).Close(); err != nil {
		t.Error(err)
	}
}

// TestTakenOver: who has lost the connection that holds the lock, and then another process came, stores nothing any more.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	s := pgServer(t)
	url := s.schema(t)
	w, _ := pgWorld(t, url)
	w.must(turnOf(message(7, 1)))
	s.killConnections(t, url)
	next := openServer(t, store.Options{Path: url, Key: "key"})
	refuses(t, w, url, store.ErrFenced)
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	refuses(t, w, url, store.ErrFenced)
}

// TestFenced: whoever has taken a database over is obeyed, also by a process that noticed nothing.
func TestFenced(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	w, _ := pgWorld(t, url)
	w.must(turnOf(message(7, 1)))
	sqlOn(t, url, `UPDATE fence SET epoch = epoch + 1`)
	refuses(t, w, url, store.ErrFenced)
	sqlOn(t, url, `UPDATE fence SET epoch = epoch - 1`) // it is done all the same
	refuses(t, w, url, store.ErrFenced)
}

// TestLostCommits: a database that has gone back is not written to any more.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	for name, loss := range map[string]string{
		"a commit":     `UPDATE fence SET commits = commits - 1`,
		"a whole life": `UPDATE fence SET epoch = epoch - 1`,
		"all of it":    `DELETE FROM fence`,
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			s := pgServer(t)
			url := s.schema(t)
			w, _ := pgWorld(t, url)
			w.must(turnOf(message(7, 1)))
			sqlOn(t, url, loss)
			refuses(t, w, url, record.ErrLostCommits)
		})
	}
	t.Run("a commit whose answer was lost", func(t *testing.T) {
		effort.Case(t)
		s := pgServer(t)
		url := s.schema(t)
		p, far := newProxy(t, s, url)
		w, _ := pgWorld(t, far)
		w.must(turnOf(message(7, 1)))
		p.cutNext(lostAnswer)
		p.then(func() { sqlOn(t, url, `UPDATE fence SET commits = 0`) })
		r := w.commit(store.Write{Turn: turnOf(message(7, 2))})
		if !errors.Is(r.Err, record.ErrLostCommits) || !errors.As(r.Err, new(*unclear.Error)) {
			t.Errorf("the receipt is %+v", r)
		}
		refuses(t, w, url, record.ErrLostCommits)
		w.isNamed(event.Key{Account: ana, Peer: 7}, 0, "")
	})
}

// TestInspectorsAtOnce: however many people ask at once, each is heard, and no number is given twice.
func TestInspectorsAtOnce(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	url := pgServer(t).schema(t)
	w, _ := pgWorld(t, url)
	w.ask(asking(ana, 9, event.WishDrop))
	sqlOn(t, url, `UPDATE request SET number = 9000000000000000`) // of a clock that was ahead: the next ones follow it
	const inspectors, each = 4, 15
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range inspectors {
		d := openServerInspector(t, url)
		all.Go(func() {
			<-begin
			for range each {
				if _, err := d.Ask(t.Context(), asking(ana, 7, event.WishTakeOver), asking(ana, 8, event.WishDrop)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	close(begin)
	all.Wait()
	waiting, err := w.Requests(t.Context(), event.Request{}, 1000)
	w.same("requests", []any{2*inspectors*each + 1, nil}, []any{len(waiting), err})
}

// TestAnInspectorWaitsForAnother: while one stores what it was asked, another one does not begin.
func TestAnInspectorWaitsForAnother(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	w, _ := pgWorld(t, url)
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	first, err := db.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = first.ExecContext(t.Context(), store.SelectTurnstile)
	}
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	d := openServerInspector(t, url)
	go func() {
		_, err := d.Ask(t.Context(), asking(ana, 7, event.WishDrop))
		asked <- err
	}()
	const ours = `SELECT count(*) FROM pg_locks w JOIN pg_locks h USING (locktype, database, classid, objid, objsubid)
		WHERE w.locktype = 'advisory' AND NOT w.granted AND h.granted AND h.pid = pg_backend_pid()`
	for waiting := 0; waiting == 0; {
		if err := first.QueryRowContext(t.Context(), ours).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-asked:
			t.Fatalf("it did not wait (%v)", err)
		default:
		}
	}
	if err := errors.Join(first.Commit(), <-asked); err != nil {
		t.Error(err)
	}
	waiting, err := w.Requests(t.Context(), event.Request{}, 9)
	w.same("requests", []any{1, nil}, []any{len(waiting), err})
}
