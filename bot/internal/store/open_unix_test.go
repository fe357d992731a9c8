//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// TestModes: the file, and what lies beside it, is for its owner alone, also where a link leads to it that led nowhere
// before. It changes the mask of the process, and so does not run beside other tests.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := t.TempDir()
	for _, sub := range []string{"data", "links"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"relative.db": "data/one.db", "absolute.db": filepath.Join(dir, "data/two.db"), "again.db": "links/more.db", "links/more.db": "../data/three.db",
		"folder": "links", "links/up.db": "../data/four.db",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, file := range map[string]string{
		"plain.db": "plain.db", "relative.db": "data/one.db", "absolute.db": "data/two.db", "again.db": "data/three.db", "folder/up.db": "data/four.db",
	} {
		f := &world{tb: t, Store: openFile(t, store.Options{Path: filepath.Join(dir, path)})}
		f.must(turnOf(message(7, 1)))
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			info, err := os.Stat(filepath.Join(dir, file+suffix))
			if err != nil {
				t.Error(err)
			} else if info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s has mode %o", path, info.Name(), info.Mode().Perm())
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// One database has one bot, by whatever name it is opened.
func TestInUseUnderAnotherName(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "store.db"), filepath.Join(dir, "link.db")
	if err := os.Symlink("store.db", link); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{file, link}, {link, file}} {
		st := openFile(t, store.Options{Path: names[0]})
		if second, err := store.Open(t.Context(), store.Options{Path: names[1]}); !errors.Is(err, record.ErrInUse) {
			t.Errorf("opened a second time: %v, %v", second, err)
		}
		d, err := store.OpenInspector(t.Context(), names[1], "")
		if err != nil {
			t.Fatal(err)
		}
		if running, err := d.Running(); !running || err != nil {
			t.Errorf("a desk at %s sees no bot: %v", names[1], err)
		}
		if err := errors.Join(d.Close(), st.Close()); err != nil {
			t.Error(err)
		}
	}
	for _, circle := range [][2]string{{"a.db", "b.db"}, {"b.db", "a.db"}} {
		if err := os.Symlink(circle[1], filepath.Join(dir, circle[0])); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "a.db")}); err == nil || !strings.Contains(err.Error(), "leads to no file") {
		t.Error(err)
	}
}
