package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// Beside a file lies what tells how the last incarnation has ended; where the file is a copy from before, it tells nothing.
func TestTheRecorderBelongsToTheDatabase(t *testing.T) {
	t.Parallel()
	m := recorder.Machine{Boot: "first", Steady: recorder.ThisMachine().Steady}
	path := filepath.Join(t.TempDir(), "store.db")
	open := func() *store.Database {
		s, err := store.Open(t.Context(), store.Options{Path: path, Machine: m, Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	end := func(s *store.Database) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := open()
	if s.Recorder() == nil || s.Last() != nil {
		t.Fatalf("a new database has %v, and knows %v of the last incarnation", s.Recorder(), s.Last())
	}
	s.Recorder().Begin(recorder.Served, "main", "")
	s.Recorder().Begin(recorder.OnWire, "main", "message:1/0")
	end(s)
	s = open()
	if p := s.Last(); p == nil || p.Start != 1 || p.Clean || p.HasLeft("main", "message:2/0") || !p.HasLeft("main", "message:1/0") {
		t.Fatalf("the second start knows %+v", p)
	}
	s.Recorder().Finish()
	end(s)
	s = open()
	if p := s.Last(); p == nil || p.Start != 2 || !p.Clean {
		t.Fatalf("the third start knows %+v", p)
	}
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(path+suffix, path+".copy"+suffix); err != nil {
			t.Fatal(err)
		}
	}
	s.Later(record.Cursor{Account: "main", Source: event.Messages, Peer: 7, ID: 8})
	if err := s.MarkNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Recorder().Finish()
	end(s)
	for _, suffix := range []string{"", "-wal"} {
		if err := os.Rename(path+".copy"+suffix, path+suffix); err != nil {
			t.Fatal(err)
		}
	}
	s = open()
	defer end(s)
	if s.Last() != nil {
		t.Errorf("of a copy that was put back it knows %+v", s.Last())
	}
	if b := s.Recorder().Before(); b == nil || b.Start != 3 || b.Number == 0 {
		t.Errorf("nobody can see that it is one: %+v", b)
	}
}

// What lies beside a file into which an account has come is from before it lived elsewhere.
func TestTheRecorderSaysNothingOfWhoHasMovedIn(t *testing.T) {
	t.Parallel()
	if recorder.ThisMachine().Boot == "" {
		t.Skip("this system does not tell its boots apart")
	}
	elsewhere, here := newHome(t, "key"), newHome(t, "key")
	dwells := func(h home, account event.Account) (last *recorder.Report) {
		h.incarnations(func(w *world) {
			last = w.Last()
			w.Recorder().Begin(recorder.Served, string(account), "")
			w.Later(record.Cursor{Account: account, Source: event.Messages, Peer: 7, ID: 8})
			if err := w.MarkNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		return last
	}
	dwells(elsewhere, "main")
	dwells(here, "other")
	if dwells(here, "other") == nil {
		t.Fatal("it says nothing before, either")
	}
	here.moves(elsewhere)
	if last := dwells(here, "main"); last != nil {
		t.Errorf("it says %+v", last)
	}
}
