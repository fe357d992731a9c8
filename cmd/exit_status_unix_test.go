//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// A service manager starts again what has crashed, and not what only a person can put right: they differ in the status of the process.
func TestExitStatusOfTheProcess(t *testing.T) {
	t.Parallel()
	const (
		wrong = "NECTAR_BASE_URL=social.example\nNECTAR_EMAIL=bot@social.example\nNECTAR_PASSWORD=x\n"
		right = "NECTAR_BASE_URL=https://social.example/mobile_api\nNECTAR_EMAIL=bot@social.example\nNECTAR_PASSWORD=x\n"
	)
	for name, c := range map[string]struct {
		as, env string
		args    []string
		status  int
	}{
		"a crash":                    {"a crash", "", nil, 2},
		"no such command":            {"nectar", right, []string{"fly"}, cli.ExitUsage},
		"no such flag":               {"nectar", right, []string{"run", "--loud"}, cli.ExitUsage},
		"no such account":            {"nectar", right, []string{"doctor", "--account", "shpo"}, cli.ExitUsage},
		"run with wrong settings":    {"nectar", wrong, []string{"run"}, cli.ExitConfig},
		"run without rules":          {"nectar", right, []string{"run"}, cli.ExitConfig},
		"check with wrong settings":  {"nectar", wrong + "NECTAR_RULES=store:\n", []string{"check"}, cli.ExitConfig},
		"check without rules":        {"nectar", right, []string{"check"}, cli.ExitConfig},
		"doctor with wrong settings": {"nectar", wrong, []string{"doctor"}, cli.ExitConfig},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(c.env), 0o600); err != nil {
				t.Fatal(err)
			}
			p := child.Start(t, child.Command{As: c.as, Args: c.args, Dir: dir})
			if status := p.End(); status != c.status || c.as == "nectar" && !strings.HasPrefix(p.String(), "nectar: ") {
				t.Errorf("status %d, want %d: it printed %s", status, c.status, p)
			}
		})
	}
}

// The unit of the manual holds what only a person can put right, and starts again after a crash.
func TestUnitStartsAgainAfterCrash(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../docs/operating/start.md")
	if err != nil {
		t.Fatal(err)
	}
	units := regexp.MustCompile(`(?m)^RestartPreventExitStatus=(.*)$`).FindAllStringSubmatch(string(manual), -1)
	if len(units) != 1 || units[0][1] != "78" || cli.ExitConfig != 78 || !strings.Contains(string(manual), "\nRestart=on-failure\n") {
		t.Errorf("the units say %q", units)
	}
}
