//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// slowFile opens a fresh store that waits for its disk.
func slowFile(t *testing.T) *file {
	t.Helper()
	f := &file{path: filepath.Join(t.TempDir(), "store.db"), log: &page{}}
	f.world = newWorld(t, func(t *testing.T) database {
		t.Helper()
		open := func() store.Store {
			f.db = openFile(t, store.Options{Path: f.path, Log: slog.New(slog.NewTextHandler(f.log, nil))})
			return f.db
		}
		return database{open: open, inspector: func() asker { return openInspector(t, f.path) }}
	})
	return f
}

// fail lets the next commit fail.
func (f *file) fail(kind store.CommitFault) {
	f.Helper()
	if err := f.db.FailCommit(kind); err != nil {
		f.Fatal(err)
	}
}

// TestCommitsThatSQLiteFails: SQLite fails a COMMIT in each way that it has, and the store says what is true of it.
func TestCommitsThatSQLiteFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  store.CommitFault
		stored bool
		says   string
	}{
		"a hook refuses":           {store.CommitRefused, false, "constraint failed"},
		"no room for the log":      {store.CommitFull, false, "make room on the disk"},
		"the log is not synced":    {store.CommitUnsynced, false, "the disk reports an error"},
		"it fails when it is over": {store.CommitUnheard, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			f := slowFile(t)
			first := says(turnOf(message(7, 1)), "hello", due(noon))
			f.must(first)
			said := func(what string, err error) {
				t.Helper()
				if c.stored != (err == nil) || err != nil && (!strings.Contains(err.Error(), c.says) || errors.As(err, new(*unclear.Error))) {
					t.Errorf("%s: the error is %v", what, err)
				}
			}
			want, sequence := map[event.ID]bool{}, &store.Sequence{}
			if c.stored {
				want[message(7, 2).ID] = true
			}
			f.fail(c.fault)
			said("a turn", f.commit(on(sequence, named(turnOf(message(7, 2)), 1, "one"))).Err)
			f.handled(want, message(7, 2).ID)
			f.fail(c.fault)
			said("marks", f.MarkNow(t.Context(), mark(first, event.StateSending, 0)))
			f.fail(c.fault)
			said("a session", f.Keeper(ana).SaveSession(t.Context(), kept("one")))
			f.must(turnOf(message(8, 3)))
			f.restart()
			f.handled(want, message(7, 2).ID)
			if log := f.log.lines(); len(log) != 2 {
				t.Errorf("the log is %q", log)
			}
		})
	}
}

// TestALogThatIsNotSynced: what stands in the log without having been synced is nothing for this incarnation, and for the next
// one when this incarnation ends before it stores anything else. What it stores next takes its place.
func TestALogThatIsNotSynced(t *testing.T) {
	t.Parallel()
	f := slowFile(t)
	f.must(turnOf(message(7, 1)))
	f.fail(store.CommitUnsynced)
	if r := f.commit(store.Write{Turn: says(turnOf(message(7, 2)), "was it said?")}); r.Err == nil {
		t.Error("what was not synced is stored")
	}
	f.same("open", []string{}, f.opened())
	open := func(at string) []string {
		t.Helper()
		for _, suffix := range []string{"", "-wal"} { // as after a kill
			if err := copyFile(f.path+suffix, f.path+at+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		w := &world{tb: t, Store: openFile(t, store.Options{Path: f.path + at})}
		defer func() {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
		return append(w.opened(), fmt.Sprint(len(w.pending(0))))
	}
	f.same("open after a kill", []string{"was it said?", "0"}, open("-killed"))
	if r := f.commit(store.Write{Pending: []event.Event{message(7, 2)}}); r.Err != nil {
		t.Error(r.Err)
	}
	f.same("open after a later kill", []string{"1"}, open("-later"))
}
