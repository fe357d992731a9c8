package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// closed makes a store with something in it, and closes it. It returns its path.
func closed(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	f := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
	for n := range int64(50) {
		f.must(named(turnOf(message(7, n+1)), n+1, strings.Repeat("name ", 100)))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// unusable makes files that are no store, and names what is said about them.
func unusable(t *testing.T) map[string]struct {
	path string
	is   error // nil for one that no caller knows
	want string
} {
	t.Helper()
	content, err := os.ReadFile(closed(t))
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(content)
	for i := 100; i < 4096; i++ {
		damaged[i] = 0xAA
	}
	newer, foreign := closed(t), filepath.Join(t.TempDir(), "photos.db")
	change(t, newer, `INSERT INTO schema_version (version_id, is_applied) VALUES (999, 1)`)
	change(t, foreign, `CREATE TABLE photo (id INTEGER PRIMARY KEY)`)
	dir := t.TempDir()
	type problem = struct {
		path string
		is   error
		want string
	}
	return map[string]problem{
		"a text":    {write(t, filepath.Join(dir, "letter.txt"), bytes.Repeat([]byte("Dear Ana, "), 500)), nil, "it is no database: name another file"},
		"damaged":   {write(t, filepath.Join(dir, "damaged.db"), damaged), nil, "put a copy of it back, or move it away"},
		"cut":       {write(t, filepath.Join(dir, "cut.db"), content[:4096]), nil, "put a copy of it back, or move it away"},
		"newer":     {newer, record.ErrNewer, "(its schema is 999, this program knows"},
		"another's": {foreign, record.ErrForeign, "name another file"},
		"a folder":  {dir, nil, "is a directory"},
		"no folder": {filepath.Join(dir, "none", "store.db"), fs.ErrNotExist, "its folder is missing"},
		"in a file": {filepath.Join(foreign, "store.db"), nil, "photos.db is no folder"},
	}
}

func TestFilesThatDoNotOpen(t *testing.T) {
	t.Parallel()
	for name, c := range unusable(t) {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			for range 2 {
				s, err := store.Open(t.Context(), store.Options{Path: c.path})
				if err == nil {
					t.Fatal("it opened", s.Close())
				}
				checkError(t, err, c.path, c.is, c.want)
			}
			if after, _ := os.ReadFile(c.path); !bytes.Equal(before, after) {
				t.Error("the file has changed")
			}
		})
	}
}

func checkError(t *testing.T, err error, path string, is error, want string) {
	t.Helper()
	if text := err.Error(); !strings.Contains(text, want) || !strings.Contains(text, path) || strings.Contains(text, "\n") {
		t.Errorf("the error is %q, want one line with %q", text, want)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("%q is not %q", err, is)
	}
}

func TestOneProcessPerFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	f := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
	for range 3 {
		_, err := store.Open(t.Context(), store.Options{Path: path})
		if err == nil {
			t.Fatal("it was opened twice")
		}
		checkError(t, err, path, record.ErrInUse, "stop it first")
		f.must(turnOf(message(7, f.NextPosition()))) // the first one still has its locks
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.Store = openFile(t, store.Options{Path: path})
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestOddPaths: whatever a file may be called, and whatever else such a name could mean.
func TestOddPaths(t *testing.T) {
	effort.Shared(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for _, path := range []string{"nectar.db", ":memory:", "a b.db", "50%.db", "what?.db", "a#b.db", "a&b=c.db", "ünï.db", "file:x.db", "./up/../x"} {
		if strings.Contains(path, "up") {
			if err := os.Mkdir("up", 0o700); err != nil {
				t.Fatal(err)
			}
		}
		f := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
		f.must(named(turnOf(message(7, 1)), 1, "kept"))
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		f.Store = openFile(t, store.Options{Path: path})
		f.isNamed(event.Key{Account: ana, Peer: 7}, 1, "kept")
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClosedFiles: a store that was closed leaves its file, the lock and the recorder's, and nothing to be copied with
// them.
func TestClosedFiles(t *testing.T) {
	t.Parallel()
	path := closed(t)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"store.db", "store.db.lock", "store.db.recorder"}) {
		t.Errorf("the folder has %v", names)
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	_, err := store.OpenReader(t.Context(), path, "")
	checkError(t, err, path, fs.ErrNotExist, "there is none yet")
	if _, err := os.Stat(path); err == nil {
		t.Error("looking for a database has made it")
	}
	f := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
	r, err := store.OpenReader(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	f.must(named(turnOf(message(7, 1)), 1, "one"))
	for range 2 {
		c, err := r.Conversation(t.Context(), event.Key{Account: ana, Peer: 7})
		if err != nil || c.Name != "one" {
			t.Errorf("read %+v, %v", c, err)
		}
		if f.Store != nil {
			if err := f.Close(); err != nil { // the reader goes on
				t.Error(err)
			}
			f.Store = nil
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	change(t, path, `DELETE FROM schema_version WHERE version_id > 0`)
	_, err = store.OpenReader(t.Context(), path, "")
	checkError(t, err, path, record.ErrOlder, "start the bot once")
	empty := write(t, filepath.Join(t.TempDir(), "empty.db"), nil)
	_, err = store.OpenReader(t.Context(), empty, "")
	checkError(t, err, empty, record.ErrOlder, "start the bot once")
	for name, c := range unusable(t) {
		if strings.Contains(name, "folder") || name == "in a file" {
			continue
		}
		_, err := store.OpenReader(t.Context(), c.path, "")
		if err == nil {
			t.Fatalf("%s opened", name)
		}
		checkError(t, err, c.path, c.is, c.want)
	}
}
