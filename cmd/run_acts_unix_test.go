//go:build unix

package cmd

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/run"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// mayRun are the settings of a bot that may sign in.
var mayRun = []string{
	"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_EMAIL=bot@social.example", "NECTAR_PASSWORD=" + hunter2,
}

// No bot that nobody asked for speaks: a start without rules ends at once, with one line that says where they were looked
// for and what to do, and leaves nothing behind.
func TestRunWithoutRules(t *testing.T) {
	for name, c := range map[string]struct {
		rules string
		make  func(dir string) error
		want  string
	}{
		"no folder":      {"", nil, "there is no file or folder DIR/rules"},
		"named":          {"rules", nil, "there is no file or folder DIR/rules"},
		"misspelt":       {"rulse", func(dir string) error { return os.Mkdir(filepath.Join(dir, "rules"), 0o700) }, "there is no file or folder DIR/rulse"},
		"an empty one":   {"", func(dir string) error { return os.Mkdir(filepath.Join(dir, "rules"), 0o700) }, "there is no rule file in DIR/rules"},
		"settings alone": {"", func(dir string) error { return put(dir, "rules/settings.yaml", "rules/replies.yaml") }, "there is no rule file in DIR/rules"},
		"backups":        {"", func(dir string) error { return put(dir, "rules/10-faq.yaml.bak", "rules/.10-faq.yaml") }, "there is no rule file in DIR/rules"},
		"a dangling link": {"", func(dir string) error {
			return os.Symlink(filepath.Join(dir, "unmounted"), filepath.Join(dir, "rules"))
		}, "there is no file or folder DIR/rules"},
		"a text": {"notes.txt", func(dir string) error { return put(dir, "notes.txt") }, "DIR/notes.txt is no rule file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			if c.make != nil {
				if err := c.make(dir); err != nil {
					t.Fatal(err)
				}
			}
			environ := mayRun
			if c.rules != "" {
				environ = append(slices.Clip(environ), "NECTAR_RULES="+c.rules)
			}
			got := nectarIn(t, environ, "run")
			want := "nectar: " + strings.Replace(c.want, "DIR", dir, 1)
			if got.status != cli.ExitConfig || !strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%+v", got)
			}
			for _, cure := range []string{"NECTAR_RULES names another place", "nectar run --starter"} {
				if !strings.Contains(got.stderr, cure) {
					t.Errorf("it does not say %q: %s", cure, got.stderr)
				}
			}
			if made, err := filepath.Glob(filepath.Join(dir, "*.db*")); err != nil || len(made) > 0 {
				t.Errorf("it made %v, %v", made, err)
			}
		})
	}
}

// Whoever asks for the starter bot, and has rules, has made a mistake.
func TestStarterBesideRules(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := put(dir, "rules/settings.yaml"); err != nil {
		t.Fatal(err)
	}
	got := nectarIn(t, mayRun, "run", "--starter")
	want := "nectar: --starter is for a bot without rules, and there is " + filepath.Join(dir, "rules") + ": leave the flag out, or name another place in NECTAR_RULES\n"
	if got.status != cli.ExitConfig || got.stderr != want {
		t.Errorf("%+v", got)
	}
}

// Rules that were in force stay so when their folder is gone at a start: the log, a notice and the doctor say so.
func TestRunWhenTheRulesAreGone(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	server := httptest.NewServer(p)
	defer server.Close()
	dir := t.TempDir()
	putRules(t, dir, "10-faq.yaml", faq)
	base, environ := server.URL+"/mobile_api", []string{"NECTAR_RULES=" + filepath.Join(dir, "rules"), "NECTAR_STORE=sqlite:" + filepath.Join(dir, "bot.db")}
	log, end := running(t, base, environ...)
	log.Await(t, "the bot is at work")
	if status := end(); status != 0 {
		t.Fatalf("status %d\n%s", status, log)
	}
	if err := os.Rename(filepath.Join(dir, "rules"), filepath.Join(dir, "old")); err != nil {
		t.Fatal(err)
	}
	doctor := nectarIn(t, append([]string{"NECTAR_BASE_URL=" + base, "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2}, environ...), "doctor")
	if !regexp.MustCompile(`odd +rules +there is no file or folder .*/rules: .*\. What was in force stays so: 1 files, loaded 0 minutes ago, 20`).MatchString(doctor.stdout) {
		t.Errorf("%s", doctor.stdout)
	}
	log, end = running(t, base, environ...)
	log.Await(t, "the bot is at work")
	log.Await(t, `msg=notice who=* about=rules text="The rule files cannot be read: there is no file or folder `+filepath.Join(dir, "rules"))
	ana := script.Actor("ana")
	if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects("We are open from nine to six.")}}); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
	if status := end(); status != 0 || strings.Contains(log.String(), run.StarterSays) {
		t.Errorf("status %d\n%s", status, log)
	}
}
