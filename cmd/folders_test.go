package cmd

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// greeting is a rule file of one rule, which answers to hello.
func greeting(id, text string) string {
	return "version: 1\nstatus: live\nrules:\n  - id: " + id + "\n    when: message\n    if: [text: { any_word: [hello] }]\n" +
		"    then: [{ reply: \"" + text + "\" }]\n    limits: { per_person: 9 per 1h }\n"
}

// inTwoFolders runs a bot with two accounts that have a folder of rules each. run runs a command beside it.
func inTwoFolders(t *testing.T, test func(w *bottest.World, dir string, run func(args string, status int, want ...string) string)) {
	t.Helper()
	dir := t.TempDir()
	for _, of := range []string{"cafe", "shop"} {
		putRules(t, dir, of+"/10-faq.yaml", greeting(of+"-hello", "The "+of+" greets you."))
	}
	putRules(t, dir, "shop/20-more.yaml", strings.Replace(greeting("more", "More."), "hello", "more", 1))
	accounts := filepath.Join(dir, "accounts.yaml")
	text := "accounts:\n  cafe: { password: '${UNSET}', rules: " + filepath.Join(dir, "rules", "cafe") + " }\n  shop: { rules: " + filepath.Join(dir, "rules", "shop") + " }\n"
	if err := os.WriteFile(accounts, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bottest.Run(t, bottest.Config{
		Start: tuesdayAtTen, Accounts: []event.Account{"cafe", "shop"},
		Bot: bot.Config{PollInterval: 20 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{
				Path: filepath.Join(dir, "rules", "shop"), Folders: map[event.Account]string{"cafe": filepath.Join(dir, "rules", "cafe")},
				Accounts: []event.Account{"cafe", "shop"}, Log: log,
			}, st)
			return []bottest.Plugin{p}, err
		},
	}, func(w *bottest.World) {
		test(w, dir, func(args string, status int, want ...string) string {
			t.Helper()
			var out bytes.Buffer
			sh := cli.Shell{
				Args: strings.Fields(args), Environ: []string{"NECTAR_STORE=sqlite:" + w.Database(), "NECTAR_ACCOUNTS=" + accounts},
				Stdin: strings.NewReader("hello\n"), Stdout: &out, Stderr: &out,
			}
			if got := execute(context.Background(), sh); got != status {
				t.Errorf("nectar %s: status %d\n%s", args, got, out.String())
			}
			for _, part := range want {
				if !strings.Contains(out.String(), part) {
					t.Errorf("nectar %s: no %q in\n%s", args, part, out.String())
				}
			}
			return out.String()
		})
	})
}

// Every command that reads rules knows which account acts by which.
func TestCommandsAndFolders(t *testing.T) {
	t.Parallel()
	inTwoFolders(t, func(w *bottest.World, dir string, run func(args string, status int, want ...string) string) {
		cafe, shop := filepath.Join(dir, "rules", "cafe"), filepath.Join(dir, "rules", "shop")
		for _, of := range []event.Account{"cafe", "shop"} {
			p := w.Account(of).Person("ana-" + string(of))
			p.Says("hello")
			p.Expects("The " + string(of) + " greets you.")
		}
		rules := run("rules", 0, "ACCOUNT", "cafe-hello", "shop-hello")
		if n := strings.Count(rules, "  1         0          2027"); n != 2 {
			t.Errorf("%d rules have answered once\n%s", n, rules)
		}
		if got := run("rules --account cafe", 0, "cafe-hello"); strings.Contains(got, "shop-hello") || strings.Contains(got, "ACCOUNT") {
			t.Error(got)
		}
		run("check", 0, filepath.Join(cafe, "10-faq.yaml"), filepath.Join(shop, "20-more.yaml"), "3 files read")
		run("check --account cafe", 0, "1 file read")
		run("check --account caf", 2, `did you mean "cafe"?`)
		run("try", 2, "the accounts have folders of their own: name one of "+cafe+", "+shop)
		run("try --account shop", 0, "The shop greets you.")
		run("try --account shp", 2, `did you mean "shop"?`)
		run("rules watch 10-faq.yaml --yes", 2, "several folders have a file 10-faq.yaml: write which one, for example "+filepath.Join(cafe, "10-faq.yaml"))
		run("rules watch 20-mor.yaml --yes", 2, `did you mean "20-more.yaml"?`)
		run("rules watch 20-more.yaml "+filepath.Join(shop, "10-faq.yaml")+" --yes", 0, "20-more.yaml is watch", "10-faq.yaml is watch", "1 event of 1 person", "1 of the same were done, and would be on watch now")
		if content, err := os.ReadFile(filepath.Join(cafe, "10-faq.yaml")); err != nil || strings.Contains(string(content), "watch") {
			t.Errorf("%v: %s", err, content)
		}
		run("replay "+cafe, 0, "1 event of 1 person", "1 the same")
		run("replay "+dir, 1)
		run("replay "+filepath.Join(dir, "rules", "elsewhere"), 1)
		draft := filepath.Join(dir, "rules", "draft.yaml")
		putRules(t, dir, "draft.yaml", greeting("new", "Something else."))
		run("replay "+draft, 2, "say which one these files are for, with --account shop")
		run("replay "+draft+" --account shop", 0, "1 changed")

		run("pause cafe-hell", 2, `did you mean "cafe-hello"?`)
		if got := run("pause cafe-hello --json", 0); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"account":"cafe"`) {
			t.Errorf("a rule of the cafe is paused elsewhere\n%s", got)
		}
		run("resume cafe-hello", 0, "goes on")
		w.Stop()
		run("pause shop-hello", 0, "it is done when one starts")
		if got := run("resume shop-hello --json", 0); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"account":"shop"`) {
			t.Errorf("what was asked for is not taken back\n%s", got)
		}
		w.Start()
		w.Advance(time.Minute)
		run("pause", 0, "nothing is paused")
	})
}

// The doctor has lines for each folder, and a bot does not begin without one that it never had.
func TestDoctorAndRunWithFolders(t *testing.T) {
	p, environ := clinic(t, emulator.Dialect{})
	p.AddAccount(emulator.Person{Username: "cafe", FirstName: "Cafe"}, "cafe@social.example", hunter2)
	putRules(t, ".", "cafe/10-faq.yaml", greeting("hello", "hi"))
	host, got := ringing(t, http.StatusOK)
	for _, of := range []string{"", "cafe/"} {
		putRules(t, ".", of+"settings.yaml", "version: 1\nwho: { team: [\"ntfy://"+host+"/of"+strings.TrimSuffix(of, "/")+"\"] }\n")
	}
	file := "accounts:\n  shop: { email: shop@social.example, password: " + hunter2 + " }\n  cafe: { email: cafe@social.example, password: " + hunter2 + ", rules: rules/cafe }\n"
	if err := os.WriteFile("accounts.yaml", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	environ = []string{environ[0], "NECTAR_ACCOUNTS=accounts.yaml", "NECTAR_WEBHOOK_HOSTS=" + host}
	said := nectarIn(t, environ, "doctor").stdout
	for _, want := range []string{"rules (shop): team is called at", "rules/cafe (cafe): team is called at", "rules/cafe (cafe): 2 files; rules and conversations: 1 live"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if said := nectarIn(t, environ, "doctor", "--account", "cafe").stdout; strings.Contains(said, "account shop") || !strings.Contains(said, "with these accounts: cafe") {
		t.Errorf("%s", said)
	}
	if r := nectarIn(t, environ, "notices", "test", "team"); r.status != 0 || len(got()) != 2 {
		t.Errorf("%+v", r)
	}
	if r := nectarIn(t, environ, "notices", "test", "team", "--account", "cafe"); r.status != 0 || len(got()) != 3 {
		t.Errorf("%+v", r)
	}
	if err := os.Rename("rules/cafe", "rules/away"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also when there is a database, which the doctor has made
		r := nectarIn(t, environ, "run")
		if r.status != cli.ExitConfig || !strings.Contains(r.stderr, "rules/cafe") || !strings.Contains(r.stderr, "it is the folder of cafe: rules: in the accounts file names another one") {
			t.Errorf("%+v", r)
		}
	}
	if said := nectarIn(t, environ, "doctor").stdout; !strings.Contains(said, "it is the folder of cafe, and the bot does not begin without it") {
		t.Errorf("%s", said)
	}
}
