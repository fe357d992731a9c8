package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// The rules in force are listed with what came of them: also of those that rest, and of those that only watch.
func TestRulesAreListed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const files = `version: 1
name: test
status: live
defaults: { limits: { per_person: 1 per 1h } }
rules:
  - id: hours
    when: message
    if: [text: { any_word: [open] }]
    then: [{ reply: "Until six." }]
  - id: rests
    when: message
    if: [text: { any_word: [never] }]
    then: [{ reply: "Never." }]
  - id: looks
    status: watch
    when: message
    if: [text: { any_word: [parking] }]
    then: [{ reply: "Behind the house." }]
  - id: asks
    status: ask
    when: message
    if: [text: { any_word: [price] }]
    then: [{ reply: "It is 12." }]
`
	if err := os.WriteFile(filepath.Join(dir, "10-a.yaml"), []byte(files), 0o600); err != nil {
		t.Fatal(err)
	}
	answering(t, dir, func(w *bottest.World) {
		prints(t, w, "rules", 0, "rests", "silent")
		ana := w.Person("ana")
		ana.Says("are you open?")
		ana.Expects("Until six.")
		for _, text := range []string{"still open?", "is there parking?", "what is the price?"} {
			ana.Says(text)
			w.Advance(time.Minute)
		}
		out := beside(t, w, "rules").stdout
		for rule, want := range map[string]string{
			"hours": "10-a.yaml:6 live 1 1", "rests": "10-a.yaml:10 live 0 0 silent", "looks": "10-a.yaml:14 watch 0 0 1", "asks": "10-a.yaml:19 ask 0 1 0",
		} {
			line := ""
			for l := range strings.Lines(out) {
				if strings.HasPrefix(l, rule+" ") {
					line = strings.Join(strings.Fields(l)[1:], " ")
				}
			}
			if !strings.HasPrefix(line, want) {
				t.Errorf("%s: %q, want %q in\n%s", rule, line, want, out)
			}
		}
		prints(t, w, "rules --days", 0, tuesdayAtTen.Local().Format(time.DateOnly))
		prints(t, w, "rules --json", 0, `"rule":"hours"`, `"held_back":1`, `"watched":1`, `"asked":1`)
		prints(t, w, "pause hours", 0, "is paused")
		prints(t, w, "rules", 0, "live; paused by hand")
		prints(t, w, "rules lives", 2, `did you mean "live"?`)
	})
}

// Files move up the ladder after a check, and when a person says so; and back.
func TestRulesOnTheLadder(t *testing.T) {
	t.Parallel()
	const file = "version: 1\nname: test\nstatus: watch   # a trial\nrules:\n  - id: hours\n    when: message\n    then: [{ reply: Hello }]\n" +
		"    limits: { per_person: 1 per 1h }\n    tests: [{ say: hi, expect: EXPECT }]\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "10-a.yaml")
	write := func(expect string) {
		if err := os.WriteFile(path, []byte(strings.Replace(file, "EXPECT", expect, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(answer string, args ...string) result {
		var out, err bytes.Buffer
		sh := cli.Shell{
			Args: append([]string{"rules"}, args...), Environ: []string{"NECTAR_STORE=sqlite:" + filepath.Join(dir, "none.db"), "NECTAR_RULES=" + dir},
			Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &err,
		}
		return result{execute(context.Background(), sh), out.String(), err.String()}
	}
	write("reply")
	for _, c := range []struct {
		name, answer string
		args         []string
		status       int
		says, holds  string // what is printed, and what the file holds then
	}{
		{"a slip", "y\n", []string{"live", "10-b.yaml"}, 2, `did you mean "10-a.yaml"?`, "status: watch   # a trial"},
		{"no answer", "", []string{"live", "10-a.yaml"}, 1, "nothing was changed", "status: watch   # a trial"},
		{"no", "n\n", []string{"live", path}, 1, "nothing was changed", "status: watch   # a trial"},
		{"yes", "y\n", []string{"live", "10-a.yaml"}, 0, "10-a.yaml is live\n", "status: live   # a trial"},
		{"again", "", []string{"live", "10-a.yaml"}, 0, "10-a.yaml is live already", "status: live   # a trial"},
		{"back", "", []string{"ask", "10-a.yaml", "--yes"}, 0, "10-a.yaml is ask\n", "status: ask   # a trial"},
		{"further back", "y\n", []string{"watch", "10-a.yaml"}, 0, "10-a.yaml is watch\n", "status: watch   # a trial"},
		{"settings", "", []string{"live", "settings.yaml"}, 2, "has no status", "status: watch   # a trial"},
		{"nothing", "", []string{"live"}, 2, "name rule files", "status: watch   # a trial"},
	} {
		got := run(c.answer, c.args...)
		now, err := os.ReadFile(path)
		if err != nil || got.status != c.status || !strings.Contains(got.stdout+got.stderr, c.says) || !strings.Contains(string(now), c.holds) {
			t.Errorf("%s: %d, %s%s\n%s", c.name, got.status, got.stdout, got.stderr, now)
		}
	}
	write("no_reply")
	if got := run("", "live", "10-a.yaml", "--yes"); got.status != 1 || !strings.Contains(got.stderr, "expected no_reply") {
		t.Errorf("with a test that fails: %d, %s%s", got.status, got.stdout, got.stderr)
	}
}
