package cmd

import (
	"database/sql"
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

func TestADatabaseOfANewerVersionIsLeftAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := nectar(t, "migrate"); got.status != 0 {
		t.Fatal(got.stderr)
	}
	db, err := sql.Open("sqlite", "nectar.db") // the driver comes with the store
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `INSERT INTO schema_version (version_id, is_applied) VALUES (999, 1)`)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	environ := []string{"NECTAR_BASE_URL=http://127.0.0.1:9/mobile_api", "NECTAR_EMAIL=bot@social.example", "NECTAR_PASSWORD=" + hunter2}
	for _, command := range []string{"migrate", "run"} {
		got := nectarIn(t, environ, command)
		const want = "the database was written by a newer version: run that version, or start with a new file"
		if got.status != 1 || got.stdout != "" || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", command, got)
		}
	}
}
