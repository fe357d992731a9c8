package cmd

import (
	"bytes"
	"database/sql"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// A copy is put in the place of the database, and nothing is deleted; the next start is careful. What is no good changes nothing.
func TestRestore(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	dir := t.TempDir()
	file, backup := filepath.Join(dir, "bot.db"), filepath.Join(t.TempDir(), "backup.db")
	environ := []string{
		"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2,
		"NECTAR_STORE=sqlite:" + file,
	}
	asks := func(who string) {
		t.Helper()
		a := script.Actor(who)
		if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{a.Says("are you open?"), a.Expects("Thanks for writing")}}); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	log, end := running(t, server.URL+"/mobile_api", environ[3])
	log.Await(t, "the bot is at work")
	asks("ana")
	sqlOnFile(t, file, `VACUUM INTO '`+backup+`'`)
	asks("leo")
	for _, args := range [][]string{{"restore", backup}, {"restore", backup, "--dry-run"}} {
		if got := nectarIn(t, environ, args...); got.status != 1 || got.stderr != "nectar: a bot runs on "+file+": stop it first, since it has begun with what is there\n" {
			t.Errorf("beside the bot: %+v", got)
		}
	}
	end()

	before := read(file)
	damaged, newer, foreign := filepath.Join(dir, "damaged"), filepath.Join(dir, "newer"), filepath.Join(dir, "foreign")
	copied := read(backup)
	for i := len(copied) / 2; i < len(copied); i++ {
		copied[i] = 0xAA
	}
	for name, content := range map[string][]byte{damaged: copied, newer: read(backup), foreign: []byte("Dear Ana,")} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sqlOnFile(t, newer, `INSERT INTO schema_version (version_id, is_applied) VALUES (999, 1)`)
	for name, want := range map[string]string{
		damaged: "damaged", newer: "the database was written by a newer version", foreign: "it is no database of a bot", file: "it is the database itself", filepath.Join(dir, "none"): "no such file",
	} {
		for _, args := range [][]string{{"restore", name}, {"restore", name, "--dry-run"}} {
			if name == file && len(args) == 3 {
				continue // it could be, in the folder where that is tried
			}
			if got := nectarIn(t, environ, args...); got.status != 1 || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%v: %+v", args, got)
			}
		}
	}
	if got := nectarIn(t, environ, "restore", backup, "--dry-run"); got.status != 0 || !strings.HasPrefix(got.stdout, backup+" can take the place of "+file) {
		t.Errorf("%+v", got)
	}
	if !bytes.Equal(read(file), before) {
		t.Error("the database was changed")
	}
	unchanged := read(backup)
	got := nectarIn(t, environ, "restore", backup, "--as", "ines")
	asides, err := filepath.Glob(file + ".before-*")
	if err != nil || len(asides) != 1 || got.status != 0 || got.stdout != backup+" is in the place of "+file+" now; what was there is "+asides[0]+
		"\nthe next start of the bot is careful; nectar doctor tells what it finds\n" {
		t.Fatalf("%+v, beside it are %v, %v", got, asides, err)
	}
	if !bytes.Equal(read(asides[0]), before) || !bytes.Equal(read(backup), unchanged) {
		t.Error("the copy, or what was there, was changed")
	}
	for _, left := range []string{".restoring*", ".nectar-restore-*"} {
		if there, _ := filepath.Glob(filepath.Join(dir, "*"+left)); len(there) > 0 {
			t.Errorf("left is %v", there)
		}
	}
	log, end = running(t, server.URL+"/mobile_api", environ[3])
	log.Await(t, "a copy of the database was put back")
	asks("mia")
	if status := end(); status != 0 {
		t.Error(log)
	}
	answers := 0
	for _, e := range p.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.From == me {
			answers++
		}
	}
	if answers != 3 {
		t.Errorf("%d answers to three people\n%s", answers, log)
	}
}

// sqlOnFile runs a statement on a database.
func sqlOnFile(t *testing.T, file, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
