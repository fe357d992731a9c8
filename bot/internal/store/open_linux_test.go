package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// asNobody runs f with the rights to files of a user who has none. The thread ends with it.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it
		err := syscall.Setfsgid(65534)
		if err = errors.Join(err, syscall.Setfsuid(65534)); err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// chmod changes modes until the test ends.
func chmod(t *testing.T, mode fs.FileMode, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Chmod(path, 0o700); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFilesThatCannotBeWritten names the file and what is in the way, and leaves nothing open.
func TestFilesThatCannotBeWritten(t *testing.T) {
	effort.Shared(t)
	readOnly, locked, folder, hidden := closed(t), closed(t), t.TempDir(), t.TempDir()
	chmod(t, 0o755, filepath.Dir(folder)) // the parent of all of them
	chmod(t, 0o777, filepath.Dir(readOnly))
	chmod(t, 0o444, readOnly)
	chmod(t, 0o666, readOnly+".lock", locked, locked+".lock")
	chmod(t, 0o555, filepath.Dir(locked), folder)
	chmod(t, 0, hidden)
	for name, c := range map[string]struct {
		path string
		is   error
		want string
	}{
		"a file that is read-only":        {readOnly, nil, "this user must be able to write the file and its folder"},
		"a folder that is read-only":      {filepath.Join(folder, "store.db"), fs.ErrPermission, "permission denied"},
		"a file in a read-only folder":    {locked, nil, "this user must be able to write the file and its folder"},
		"a folder that cannot be entered": {filepath.Join(hidden, "sub", "store.db"), fs.ErrPermission, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			before := openFiles(t)
			asNobody(t, func() {
				s, err := store.Open(t.Context(), store.Options{Path: c.path})
				if err == nil {
					t.Error("it opened", s.Close())
					return
				}
				checkError(t, err, c.path, c.is, c.want)
			})
			if after := openFiles(t); after != before {
				t.Errorf("%d files are open, %d were", after, before)
			}
		})
	}
}

// TestNothingStaysOpen after a store that did not open, or was closed.
func TestNothingStaysOpen(t *testing.T) {
	problems := unusable(t)
	used := closed(t)
	before := openFiles(t)
	for _, c := range problems {
		if _, err := store.Open(t.Context(), store.Options{Path: c.path}); err == nil {
			t.Errorf("%s opened", c.path)
		}
		if _, err := store.OpenReader(t.Context(), c.path, ""); err == nil {
			t.Errorf("%s opened", c.path)
		}
	}
	if err := openFile(t, store.Options{Path: used}).Close(); err != nil {
		t.Error(err)
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files are open, %d were", after, before)
	}
}

// openFiles counts the files that the process has open.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
