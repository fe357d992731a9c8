//go:build unix

package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// taken is a store with a cursor of 5, whose file somebody takes away.
type taken struct {
	*testing.T
	*store.Database
	path string
}

func newTaken(t *testing.T) *taken {
	t.Helper()
	f := &taken{T: t, path: filepath.Join(t.TempDir(), "it's nectar.db")}
	f.opens()
	if err := f.stores(5); err != nil {
		t.Fatal(err)
	}
	return f
}

// opens opens it.
func (f *taken) opens() {
	f.Helper()
	s, err := store.Open(f.Context(), store.Options{Path: f.path})
	if err != nil {
		f.Fatal(err)
	}
	f.Database = s
}

// stores stores a cursor, and returns the error of that.
func (f *taken) stores(id int64) error {
	got := make(chan error, 1)
	f.Commit(store.Write{
		Cursors: []record.Cursor{{Account: ana, Source: event.Messages, Peer: 7, ID: id, PolledAt: noon}},
		Done:    func(r store.Receipt) { got <- r.Err },
	})
	return <-got
}

// has wants the cursor to be stored.
func (f *taken) has(id int64) {
	f.Helper()
	all, err := f.Cursors(f.Context(), ana, event.Messages, []platform.UserID{7})
	if err != nil || len(all) != 1 || all[0].ID != id {
		f.Errorf("cursors %+v, %v; want %d", all, err, id)
	}
}

// says wants an error that says all of this.
func (f *taken) says(err error, words ...string) {
	f.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			f.Errorf("it says %v, and was to say %q", err, w)
		}
	}
}

func (f *taken) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// saved returns the files that were saved.
func (f *taken) saved() (all []string) {
	f.Helper()
	entries, err := os.ReadDir(filepath.Dir(f.path))
	f.must(err)
	for _, e := range entries {
		if strings.Contains(e.Name(), ".saved") {
			all = append(all, filepath.Join(filepath.Dir(f.path), e.Name()))
		}
	}
	return all
}

// remove deletes the file, with what belongs to it or without.
func (f *taken) remove(suffixes ...string) {
	f.Helper()
	for _, s := range append(suffixes, "") {
		f.must(os.Remove(f.path + s))
	}
}

// Whoever deletes or moves the file of a bot that runs ends it, and loses nothing: what was stored lies beside where it was, no start makes an
// empty one in its place, and from what was saved it goes on.
func TestTheFileIsTakenAway(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(f *taken){
		"deleted":                       func(f *taken) { f.remove() },
		"deleted with all that is its":  func(f *taken) { f.remove("-wal", "-shm", ".lock") },
		"moved":                         func(f *taken) { f.must(os.Rename(f.path, f.path+".old")) },
		"deleted, and nothing is saved": func(f *taken) { f.remove(); f.must(os.Mkdir(f.path+".saved", 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTaken(t)
			take(f)
			err := f.stores(6)
			f.says(err, f.path+" was moved or deleted", "; to go on with that, mv "+f.path+".saved")
			if why := f.Err(); why == nil || !errors.Is(why, err) {
				t.Errorf("it is over with %v", why)
			}
			f.says(f.stores(7), "was moved or deleted")
			f.must(f.Close())
			if name == "deleted, and nothing is saved" { // there under another name
				f.must(os.Remove(f.path + ".saved"))
			}
			_, err = store.Open(t.Context(), store.Options{Path: f.path})
			all := f.saved()
			if len(all) != 1 {
				t.Fatalf("saved %v", all)
			}
			f.says(err, "it is not there, and "+all[0]+" is", "mv "+all[0]+" "+f.path, "to begin anew, delete it")
			if info, err := os.Stat(all[0]); err != nil || info.Mode() != 0o600 {
				t.Errorf("it is %v, %v", info.Mode(), err)
			}
			for _, file := range append(all, f.path+".old") { // one that was moved has everything, too
				if _, err := os.Stat(file); err != nil {
					continue
				}
				f.must(os.Rename(file, f.path))
				f.opens()
				f.has(5)
				f.must(f.stores(8))
				f.has(8)
				f.must(f.Close())
				f.remove()
			}
		})
	}
}

// A bot that has nothing to store finds it with the next look for what people ask, and one that ends before saves it, too.
func TestTheFileIsTakenFromOneThatIsIdle(t *testing.T) {
	t.Parallel()
	f := newTaken(t)
	f.remove()
	if _, err := f.Requests(t.Context(), event.Request{}, 1); err != nil {
		t.Error(err)
	}
	for began := time.Now(); f.Err() == nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("nobody finds it")
		}
	}
	f.must(f.Close())
	f.must(os.Rename(f.path+".saved", f.path))

	f.opens()
	f.must(f.stores(9))
	f.remove()
	f.says(f.Close(), "was moved or deleted", f.path+".saved")
	f.must(os.Rename(f.path+".saved", f.path))
	f.opens()
	f.has(9)
	f.must(f.Close())
}

// Whoever puts another file in its place, with a log of its own, gets what is in that one: nothing of it is read, written, or deleted with the end
// of the one before.
func TestAnotherFileTakesThePlace(t *testing.T) {
	t.Parallel()
	f, other := newTaken(t), newTaken(t)
	f.must(other.stores(77))
	// As it is while a bot runs, or when the machine was switched off: most of it is in the log.
	for _, suffix := range []string{"-wal", ""} {
		content, err := os.ReadFile(other.path + suffix)
		f.must(err)
		f.must(os.WriteFile(f.path+".new", content, 0o600))
		f.must(os.Rename(f.path+".new", f.path+suffix))
	}
	log, err := os.ReadFile(f.path + "-wal")
	f.must(err)
	f.says(f.stores(6), "another file has taken its place", f.path+".saved")
	f.must(f.Close())
	if now, err := os.ReadFile(f.path + "-wal"); err != nil || !bytes.Equal(log, now) {
		t.Errorf("the log has %d bytes, where it had %d: %v", len(now), len(log), err)
	}
	f.must(os.Remove(f.path + "-shm")) // of the one before, as after a restart of the machine
	f.opens()
	f.has(77)
	f.must(f.Close())
	f.must(os.Rename(f.path+".saved", f.path))
	f.opens()
	f.has(5)
	f.must(f.Close())
	f.must(other.Close())
}

// A folder that is gone takes with it what could be saved.
func TestTheFolderIsTakenAway(t *testing.T) {
	t.Parallel()
	f := newTaken(t)
	f.must(os.Rename(filepath.Dir(f.path), filepath.Dir(f.path)+" elsewhere"))
	f.says(f.stores(6), "what was stored is where that file is now, if it was moved", "no such file or directory")
	f.must(f.Close())
	f.path = filepath.Join(filepath.Dir(f.path)+" elsewhere", filepath.Base(f.path))
	f.opens()
	f.has(5)
	f.must(f.Close())
}
