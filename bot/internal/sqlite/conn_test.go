package sqlite

import (
	"path/filepath"
	"testing"
)

// TestConnThatDoesNotOpen: a file that is not there is not made, and says so. Open makes it before.
func TestConnThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	c, err := Open(filepath.Join(t.TempDir(), "none.db"), nil)
	if err == nil {
		t.Fatal("it opened", c.Close())
	}
	if want := "unable to open database file (14)"; err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}
}
