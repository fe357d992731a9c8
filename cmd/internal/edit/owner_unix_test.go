//go:build unix

package edit_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/edit"
)

// What root changes stays the file of whoever runs the bot, who could not read it otherwise.
func TestReplaceKeepsTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root writes files of others")
	}
	path := filepath.Join(t.TempDir(), "10-faq.yaml")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	const user, group = 65533, 65532
	if err := os.Chown(path, user, group); err != nil {
		t.Skip(err)
	}
	if err := edit.ReplaceFile(path, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if is, ok := info.Sys().(*syscall.Stat_t); !ok || is.Uid != user || is.Gid != group || info.Mode().Perm() != 0o600 {
		t.Errorf("it belongs to %d:%d, with %v", is.Uid, is.Gid, info.Mode())
	}
}
