package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/store"
)

// another is a user that no system has.
const another = 54321

// ownedFolder makes a folder that everybody may enter and that belongs to a user.
func ownedFolder(t *testing.T, user int) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "owned") //nolint:usetesting // a folder that others may enter has to stand in one
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chown(dir, user, user)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ownersIn returns the owner of each file of a folder.
func ownersIn(t *testing.T, dir string) map[string]uint32 {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]uint32{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		owners[e.Name()] = info.Sys().(*syscall.Stat_t).Uid
	}
	return owners
}

// What this user makes is for whom the folder belongs to: root gives it away, anybody else has it.
func TestFilesBelongToTheFoldersOwner(t *testing.T) {
	owner := os.Geteuid()
	if owner == 0 {
		owner = another
	}
	dir := ownedFolder(t, owner)
	path := filepath.Join(dir, "nectar.db")
	s, err := store.Open(t.Context(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	f := &world{tb: t, Store: s}
	f.must(turnOf(message(7, 1)))
	for _, suffix := range []string{"", ".lock", "-wal", "-shm"} {
		if got, ok := ownersIn(t, dir)["nectar.db"+suffix]; !ok || got != uint32(owner) {
			t.Errorf("nectar.db%s belongs to %d, want %d", suffix, got, owner)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(path+".lock"), os.Remove(path+".recorder")); err != nil {
		t.Fatal(err)
	}
	d, err := store.OpenInspector(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := d.Running(); runs || err != nil {
		t.Errorf("%v, %v", runs, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if owners := ownersIn(t, dir); len(owners) != 1 {
		t.Errorf("whoever looks leaves behind %v", owners)
	}
}

// Where a file of the database belongs to somebody else it is said whose it is, and what to do. As root another user looks; anybody else finds
// what is not even for himself.
func TestFilesOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		dir := t.TempDir()
		path := filepath.Join(dir, "nectar.db")
		if err := os.WriteFile(path+".lock", nil, 0); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), store.Options{Path: path})
		checkError(t, err, path, os.ErrPermission, " alone: run this as that user")
		return
	}
	for name, c := range map[string]struct {
		folder, lock, file int
		want               string
	}{
		"the lock":          {65534, 0, 65534, "nectar.db.lock belongs to root, and its folder to nobody: sudo chown nobody PATH*"},
		"the database":      {65534, 65534, 0, "nectar.db belongs to root, and its folder to nobody: sudo chown nobody PATH*"},
		"a folder of root":  {0, another, another, "nectar.db.lock belongs to 54321: sudo chown USER PATH*, with the user as whom the bot runs"},
		"another user's":    {another, another, another, "nectar.db.lock belongs to 54321 alone: run this as that user"},
		"another's, in all": {another, 65534, another, "nectar.db belongs to 54321 alone: run this as that user"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ownedFolder(t, c.folder)
			path := filepath.Join(dir, "nectar.db")
			copied, err := os.ReadFile(closed(t))
			if err != nil {
				t.Fatal(err)
			}
			for file, owner := range map[string]int{path: c.file, path + ".lock": c.lock} {
				if err := errors.Join(os.WriteFile(file, copied, 0o600), os.Chown(file, owner, owner)); err != nil {
					t.Fatal(err)
				}
			}
			asNobody(t, func() {
				s, err := store.Open(t.Context(), store.Options{Path: path})
				if err == nil {
					t.Error("it opened", s.Close())
					return
				}
				checkError(t, err, path, nil, strings.ReplaceAll(c.want, "PATH", path))
			})
		})
	}
}
