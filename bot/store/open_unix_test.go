//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/store"
)

// TestModes: the file, and what lies beside it, is for its owner alone. It changes the mask of the
// process, and so does not run beside other tests.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	path := filepath.Join(t.TempDir(), "store.db")
	f := &world{tb: t, Store: openFile(t, store.Options{Path: path})}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	f.must(turnOf(message(7, 1)))
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", info.Name(), info.Mode().Perm())
		}
	}
}
