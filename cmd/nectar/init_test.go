package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/handlers/rules"
)

// begins runs init in a new folder, with a password on standard input.
func begins(t *testing.T, dir string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	sh := shell{
		args: append([]string{"init", "--dir", dir, "--password-stdin"}, args...), stdin: strings.NewReader(hunter2 + "\n"), stdout: &out, stderr: &err,
	}
	return result{execute(t.Context(), sh), out.String(), err.String()}
}

func TestInit(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"nothing said":   nil,
		"a shop":         {"--timezone", "Europe/Lisbon", "--hours", "Mon-Fri 09:00-18:30", "--hours", "Sat 10:00-14:00"},
		"another tongue": {"--language", "es", "--base-url", "https://social.example/mobile_api", "--email", "bot@social.example"},
		"at night":       {"--hours", "Mon-Sun 22:00-06:00", "--timezone", "America/New_York"},
		"never on Monday": {
			"--hours", "Tue-Wed 08:00-12:00", "--hours", "Tue-Wed 13:00-17:00", "--hours", "Thu 08:00-12:00",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := begins(t, dir, args...)
			if got.status != 0 || got.stderr != "" || !strings.Contains(got.stdout, "6 files read, no problems.") {
				t.Fatalf("status %d\n%s%s", got.status, got.stdout, got.stderr)
			}
			if strings.Contains(got.stdout, hunter2) {
				t.Error("the password is printed")
			}
			src, err := rules.ReadSources(filepath.Join(dir, "rules"))
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range src {
				if bytes.Contains(content, []byte("%")) || bytes.Contains(content, []byte("status: live")) {
					t.Errorf("%s:\n%s", name, content)
				}
			}
			env, err := os.ReadFile(filepath.Join(dir, ".env"))
			if err != nil || !bytes.Contains(env, []byte("NECTAR_PASSWORD='"+hunter2+"'")) {
				t.Errorf("%s: %v", env, err)
			}
			info, err := os.Stat(filepath.Join(dir, ".env"))
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v: %v", info.Mode(), err)
			}
		})
	}
}

// What is there already is never touched.
func TestInitKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "rules", "10-faq.yaml")
	if err := os.MkdirAll(filepath.Dir(mine), 0o700); err != nil {
		t.Fatal(err)
	}
	const content = "version: 1\nstatus: paused\n"
	if err := os.WriteFile(mine, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := begins(t, dir); got.status != 1 || !strings.Contains(got.stderr, "10-faq.yaml: already there, and nothing was written") {
		t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, ".env")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	if got := begins(t, dir, "--force"); !strings.Contains(got.stdout, "is there already, and stays") {
		t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
	if now, err := os.ReadFile(mine); err != nil || string(now) != content {
		t.Errorf("%s: %v", now, err)
	}
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	for flag, args := range map[string][]string{
		"--timezone": {"--timezone", "Lisbon"},
		"--language": {"--language", "xx"},
		"--hours":    {"--hours", "9 to 5"},
		"--base-url": {"--base-url", "https://social.example\nNECTAR_X=1"},
	} {
		if got := begins(t, t.TempDir(), args...); got.status != 2 || !strings.Contains(got.stderr, flag) || strings.Contains(got.stderr, hunter2) {
			t.Errorf("%v: status %d\n%s%s", args, got.status, got.stdout, got.stderr)
		}
	}
}
