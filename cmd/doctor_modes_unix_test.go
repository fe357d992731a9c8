//go:build unix

package cmd

import (
	"os"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/doctor"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// The doctor names every file with secrets or memory that others can get at, with the line that cures it.
func TestDoctorAndOpenModes(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	if _, found := examined(t, environ); found["file modes"].Status != "" { // there was no file before
		t.Errorf("found %+v", found["file modes"])
	}
	if _, found := examined(t, environ); found["file modes"].Status != doctor.Good || found["file modes"].Said != "1 file with secrets or memory is for the owner alone" {
		t.Errorf("found %+v", found["file modes"])
	}
	database, err := os.ReadFile("nectar.db")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		".env": "", ".env.old": "", ".env.example": "", "accounts.yaml": "accounts:\n  main:\n    email: shop@social.example\n    password: " + hunter2 + "\n",
		"copy of ana's.db": string(database), "nectar.db.gz": "", "letter.txt": "Dear Ana", "photos.db": "SQLite format 3\x00" + strings.Repeat("\x00", 100),
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod("nectar.db", 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nectar.db", "link.db"); err != nil {
		t.Fatal(err)
	}
	environ = []string{environ[0], environ[3], "NECTAR_ACCOUNTS=accounts.yaml", "NECTAR_STORE=sqlite:link.db"}
	got := nectarIn(t, environ, "doctor")
	for name, mode := range map[string]string{
		".env": "0644", ".env.old": "0644", "accounts.yaml": "0644", "nectar.db": "0640", "nectar.db.gz": "0644", "'copy of ana'\\''s.db'": "0644",
	} {
		bare := strings.ReplaceAll(strings.Trim(name, "'"), `'\''`, "'")
		if want := "odd      file modes                   others than its owner can get at " + bare + " (mode " + mode + "): chmod 600 " + name + "\n"; strings.Count(got.stdout, want) != 1 {
			t.Errorf("it does not say %q:\n%s%s", want, got.stdout, got.stderr)
		}
	}
	for _, fine := range []string{"letter.txt", "photos.db", ".env.example", ".lock", "owner alone", "get at link.db"} {
		if strings.Contains(got.stdout, fine) {
			t.Errorf("it says %q:\n%s", fine, got.stdout)
		}
	}
}
