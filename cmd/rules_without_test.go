package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// Whoever says so lets a test fail: that is written into its file, with the day and who said so, and the checker reminds of it.
func TestRulesLiveWithoutATest(t *testing.T) {
	t.Parallel()
	const head = "version: 1\nstatus: live\ndefaults: { limits: { per_person: 1 per 1h } }\n"
	const faq = head + "rules:\n  - id: hours\n    when: message\n    if: { text: { any_word: [open, late] } }\n    then: [{ reply: Six }]\n    tests: [{ say: open, expect: reply }]\n"
	const shop = head + "rules:\n  - id: late\n    when: message\n    if: { text: { any_word: [late, evening] } }\n    then: [{ reply: Nine }]\n    tests:\n" +
		"      - say: this evening?\n        expect: reply\n      - say: how late?\n        expect: reply\n      - { say: too late, expect: reply }\n" +
		"conversations:\n  - id: repair\n    start: { when: message, if: { text: { any_word: [bike] } } }\n    limits: { per_person: 9 per 1h }\n    steps:\n      - { id: what, ask: \"What?\", expect: text, save_as: what, next: done }\n" +
		"      - { id: done, end: completed }\n    if_silent: [{ after: 24h, goto: done }]\n    tests:\n      - name: of a bike\n        chat:\n          - { them: my bike, at: what }\n          - { them: the bell, at: what }\n"
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		now, err := os.ReadFile(filepath.Join(dir, "20-shop.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return string(now)
	}
	run := func(answer string, args ...string) result {
		var out, err bytes.Buffer
		sh := cli.Shell{Args: args, Environ: []string{"NECTAR_STORE=sqlite:" + filepath.Join(dir, "none.db"), "NECTAR_RULES=" + dir}, Stdin: strings.NewReader(answer), Stdout: &out, Stderr: &err}
		return result{execute(t.Context(), sh), out.String(), err.String()}
	}
	write("10-faq.yaml", faq)
	write("20-shop.yaml", shop)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "line 12  test late: \"how late?\" expected reply, got no_reply: any_word \"late\"; hours answers already"},
		{[]string{"--without-test", "hours"}, "--without-test hours: no test of hours fails; those that do are of late; repair, of a bike"},
		{[]string{"--without-test", "late"}, "line 28  test repair, of a bike: "}, // the others have to pass all the same
		{[]string{"--without-test", "late", "--without-test", "repair"}, "Skip the test of repair, of a bike (20-shop.yaml:27), the test of late (20-shop.yaml:14), the test of late (20-shop.yaml:12)?"},
	} {
		if c.args == nil {
			write("10-faq.yaml", strings.Replace(faq, "live", "watch", 1)) // or there is nothing to do
		}
		if got := run("n\n", append([]string{"rules", "live", "10-faq.yaml"}, c.args...)...); got.status != 1 || !strings.Contains(got.stdout+got.stderr, c.want) || read() != shop {
			t.Errorf("%v: %d, %s%s", c.args, got.status, got.stdout, got.stderr)
		}
		write("10-faq.yaml", faq)
	}
	got := run("", "rules", "live", "20-shop.yaml", "--without-test", "late", "--without-test", "repair, of a bike", "--by", "ines", "--yes")
	if want := "the test of late (20-shop.yaml:12) is skipped: it may fail\n"; got.status != 0 || !strings.Contains(got.stdout, want) || !strings.Contains(got.stdout, "20-shop.yaml is live already") {
		t.Errorf("%d, %s%s", got.status, got.stdout, got.stderr)
	}
	mark := `skipped: "` + time.Now().Format(time.DateOnly) + ` by ines"`
	for _, want := range []string{"      - say: this evening?\n", "      - " + mark + "\n        say: how late?\n", "      - { " + mark + ", say: too late", "      - " + mark + "\n        name: of a bike\n"} {
		if !strings.Contains(read(), want) {
			t.Errorf("%q is not there:\n%s", want, read())
		}
	}
	got = run("", "check")
	hint := regexp.MustCompile(`line 12  hint: test late: skipped \(\d{4}-\d\d-\d\d by ines\), and fails: "how late\?" expected reply`)
	if got.status != 0 || !hint.MatchString(got.stdout) {
		t.Errorf("%d, %s%s", got.status, got.stdout, got.stderr)
	}
	write("10-faq.yaml", strings.Replace(faq, "open, late", "open", 1))
	if got := run("", "check"); !strings.Contains(got.stdout, "passes again: take skipped away") {
		t.Error(got)
	}
	if got := run("", "rules", "live", "20-shop.yaml", "--without-test", "late"); got.status != 1 || !strings.Contains(got.stderr, "--without-test late: no test fails") {
		t.Error(got)
	}
}
