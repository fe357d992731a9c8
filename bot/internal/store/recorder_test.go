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
	for _, tended := range []bool{false, true} {
		testRecorderOfCopy(t, tended)
	}
}

// testRecorderOfCopy begins with a copy, with a command before the bot or without.
func testRecorderOfCopy(t *testing.T, tended bool) {
	t.Helper()
	m := recorder.Machine{Boot: "first", Steady: recorder.ThisMachine().Steady}
	path := filepath.Join(t.TempDir(), "store.db")
	opened := func(noBot bool) *store.Database {
		s, err := store.Open(t.Context(), store.Options{Path: path, Machine: m, Fast: true, NoBot: noBot})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	open := func() *store.Database { return opened(false) }
	end := func(s *store.Database) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	tend := func() { // as commands do that run no bot
		s := opened(true)
		for range 5 {
			s.QueueCursors(record.Cursor{Account: "other", Source: event.Messages, Peer: 7, ID: 8})
			if err := s.MarkNow(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		end(s)
	}
	tend()
	s := open()
	if s.Recorder() == nil || s.LastReport() != nil {
		t.Fatalf("a new database has %v, and knows %v of the last incarnation", s.Recorder(), s.LastReport())
	}
	s.Recorder().Begin(recorder.Served, "main", "")
	s.Recorder().Begin(recorder.OnWire, "main", "message:1/0")
	end(s)
	tend()
	s = open()
	if p := s.LastReport(); p == nil || p.Start != 1 || p.Clean || p.HasLeft("main", "message:2/0") || !p.HasLeft("main", "message:1/0") {
		t.Fatalf("the second start knows %+v", p)
	}
	s.Recorder().NoteFinished()
	end(s)
	s = open()
	if p := s.LastReport(); p == nil || p.Start != 2 || !p.Clean {
		t.Fatalf("the third start knows %+v", p)
	}
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(path+suffix, path+".copy"+suffix); err != nil {
			t.Fatal(err)
		}
	}
	s.QueueCursors(record.Cursor{Account: "main", Source: event.Messages, Peer: 7, ID: 8})
	if err := s.MarkNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Recorder().NoteFinished()
	end(s)
	for _, suffix := range []string{"", "-wal"} {
		if err := os.Rename(path+".copy"+suffix, path+suffix); err != nil {
			t.Fatal(err)
		}
	}
	if tended {
		tend()
	}
	s = open()
	defer end(s)
	if back, _ := s.LastRestored(); back.Sign != record.CarefulCopy {
		t.Errorf("nobody knows that it is one: %+v", back)
	}
	if last := s.LastReport(); tended && last.HasLeft("main", "message:9/0") {
		return
	}
	if s.LastReport() != nil {
		t.Errorf("of a copy that was put back it knows %+v", s.LastReport())
	}
	if b := s.Recorder().FoundReport(); b == nil || b.Start != 3 || b.Number == 0 {
		t.Errorf("nobody can see that it is one: %+v", b)
	}
}
