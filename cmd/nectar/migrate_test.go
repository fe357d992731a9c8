package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMigrate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bot.db")
	for _, want := range []string{" was made\n", " is up to date\n"} {
		got := nectarIn(t, []string{"NECTAR_STORE=sqlite:" + file}, "migrate")
		if diff := cmp.Diff(result{stdout: file + want}, got, cmp.AllowUnexported(result{})); diff != "" {
			t.Error(diff)
		}
	}
}

func TestMigrateSaysWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	letter := filepath.Join(dir, "letter.txt")
	if err := os.WriteFile(letter, []byte(strings.Repeat("Dear Ana, ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		letter:                             "file is not a database",
		filepath.Join(dir, "none", "a.db"): "its folder is missing",
	} {
		got := nectarIn(t, []string{"NECTAR_STORE=sqlite:" + file}, "migrate")
		if got.status != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "nectar: NECTAR_STORE: ") ||
			!strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", file, got)
		}
	}
}
