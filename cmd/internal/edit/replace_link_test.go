package edit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/edit"
)

// A rule file that is a link to one elsewhere, as in a folder of versions, stays a link: what it leads to is changed.
func TestReplaceBehindALink(t *testing.T) {
	t.Parallel()
	target, link := filepath.Join(t.TempDir(), "10-faq.yaml"), filepath.Join(t.TempDir(), "10-faq.yaml")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := edit.ReplaceFile(link, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "new" {
		t.Errorf("behind the link stands %q, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}
