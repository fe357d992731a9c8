//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/examples/internal/account"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// hours is a rule file. Who asks for the menu is answered by the program all the same: its routes are asked first.
const hours = `version: 1
name: Hours
status: live
rules:
  - id: hours
    when: message
    if: [text: { any_word: [open, menu] }]
    then: [reply: We are open from nine to six.]
    limits: { per_person: 1 per 12h }
`

// With rule files and without the program's own handlers answer; rules answer what is left to them.
func TestItAnswers(t *testing.T) {
	t.Parallel()
	ana, leo := script.Actor("ana"), script.Actor("leo")
	own := []script.Step{
		ana.Follows(), ana.Expects("Nice to meet you, "),
		ana.Says("the menu, please"), ana.Expects("Today: soup, bread, apple pie."),
	}
	for name, c := range map[string]struct {
		rules string
		steps []script.Step
		says  string
	}{
		"beside rules":  {hours, append(own, leo.Says("are you open?"), leo.Expects("We are open from nine to six.")), "answering by rule files"},
		"without rules": {"", own, "the bot answers by the routes of this program alone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := account.New(t)
			dir := t.TempDir()
			if c.rules != "" {
				put(t, filepath.Join(dir, "rules", "hours.yaml"), c.rules)
			}
			p := child.Start(t, child.Command{As: "the example", Args: []string{"run"}, Dir: dir, Env: a.Settings()})
			a.Play(t, c.steps...)
			if p.Stop(); !strings.Contains(p.String(), c.says) {
				t.Errorf("it does not say %q:\n%s", c.says, p)
			}
		})
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
