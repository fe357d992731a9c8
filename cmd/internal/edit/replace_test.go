package edit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/edit"
)

// A file that somebody else changes in the same moment is not overwritten.
func TestReplaceFileNeedsWhatItWasMadeFrom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "10-faq.yaml")
	if err := os.WriteFile(path, []byte("new"), 0o640); err != nil {
		t.Fatal(err)
	}
	holds := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("it holds %q (%v), want %q", got, err, want)
		}
	}
	if err := edit.ReplaceFile(path, []byte("old"), []byte("patched")); err == nil || !strings.Contains(err.Error(), "somebody has just changed it") {
		t.Error(err)
	}
	holds("new")
	if err := edit.ReplaceFile(path, []byte("new"), []byte("patched")); err != nil {
		t.Fatal(err)
	}
	holds("patched")
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("something is left beside it: %v, %v", left, err)
	}
}
