//go:build unix

package stage_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/examples/internal/account"
)

// example starts the example in a folder of its own, with a .env.
func example(t *testing.T, dotenv ...string) (p *child.Process, temporary string) {
	t.Helper()
	dir, temporary := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(strings.Join(dotenv, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return child.Start(t, child.Command{As: "example", Dir: dir, Env: []string{"TMPDIR=" + temporary}}), temporary
}

func TestRunBringsItsOwnPlatform(t *testing.T) {
	p, temporary := example(t)
	if status := p.End(); status != 0 {
		t.Errorf("status %d", status)
	}
	want := regexp.MustCompile(`^\d\d:\d\d:\d\d ana      hello\n\d\d:\d\d:\d\d bot  →   ana: a polite answer to hello\n$`)
	if !want.MatchString(p.String()) {
		t.Errorf("printed\n%s", p)
	}
	for dir, most := range map[string]int{p.Dir: 1, temporary: 0} { // the .env
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > most {
			t.Errorf("it leaves %v behind: %v", left, err)
		}
	}
}

func TestRunOnAPlatform(t *testing.T) {
	a := account.New(t)
	p, _ := example(t, a.Settings()...)
	a.Play(t, show("polite").Scene(0)...)
	p.Stop()
	if strings.Contains(p.String(), "ana") || strings.Contains(p.String(), account.Password) {
		t.Errorf("printed\n%s", p)
	}
}

func TestRunWithABrokenFileOfSettings(t *testing.T) {
	p, _ := example(t, "NECTAR_PASWORD=x")
	if p.End() == 0 {
		t.Error("it runs")
	}
	if want := ".env: NECTAR_PASWORD: there is no such variable; did you mean NECTAR_PASSWORD?\n"; p.String() != want {
		t.Errorf("printed %q", p)
	}
}
