package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/run"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// faq is a rule file that answers two questions.
const faq = `version: 1
name: Questions
status: live

rules:
  - id: opening-hours
    when: message
    if:
      - text: { any_phrase: [are you open] }
    then:
      - reply: "We are open from nine to six."
    limits: { per_person: 20 per 1h }

  - id: parking
    when: message
    if:
      - text: { any_word: [parking] }
    then:
      - reply: "There is parking behind the house."
    limits: { per_person: 20 per 1h }
`

// putRules puts a rule file into the folder of a bot, as an editor does: whole.
func putRules(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, "rules", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"~", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// put makes rule files.
func put(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte("version: 1\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A community manager changes a file while the bot runs, breaks it, and puts it right.
func TestRunWithRules(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	server := httptest.NewServer(p)
	defer server.Close()
	dir := t.TempDir()
	putRules(t, dir, "10-faq.yaml", faq)
	log, end := running(t, server.URL+"/mobile_api", "NECTAR_RULES="+filepath.Join(dir, "rules"))
	log.Await(t, "rules are in force")
	log.Await(t, "the bot is at work")
	ana := script.Actor("ana")
	play := func(steps ...script.Step) {
		t.Helper()
		if err := script.Play(soon(t), p, script.Script{Account: me, Steps: steps}); err != nil {
			t.Fatalf("%v\n%s", err, log)
		}
	}

	play(ana.Says("hello? are you open?"), ana.Expects("We are open from nine to six."))
	putRules(t, dir, "10-faq.yaml", strings.Replace(faq, "nine to six", "nine to eight", 1))
	awaitTimes(t, log, "rules are in force", 2)
	play(ana.Says("and now, are you open?"), ana.Expects("We are open from nine to eight."))

	putRules(t, dir, "10-faq.yaml", strings.Replace(faq, "reply: \"We", "repyl: \"We", 1))
	log.Await(t, "the last good version of the file stays in force")
	play(ana.Says("are you open?"), ana.Expects("We are open from nine to eight."))
	for _, part := range []string{"file=10-faq.yaml line=11", `Did you mean \"reply\"?`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %q:\n%s", part, log)
		}
	}
	play(ana.Says("/help"), ana.Says("is there parking?"), ana.Expects("There is parking behind the house."))
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
	for _, e := range p.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && (strings.Contains(e.Text, "automatic answer") || strings.Contains(e.Text, run.StarterIntro)) {
			t.Errorf("the starter bot speaks, too: %q", e.Text)
		}
	}
	if strings.Contains(log.String(), run.StarterSays) {
		t.Error("it says that it is the starter bot")
	}
}

// Notices reach the hosts that the configuration allows, and no others.
func TestRunWithWebhooks(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
	server := httptest.NewServer(p)
	defer server.Close()
	told := &child.Output{}
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(told, r.Body)
	}))
	defer hook.Close()
	dir := t.TempDir()
	putRules(t, dir, "settings.yaml", "version: 1\nwho:\n  team: { webhook: \""+hook.URL+"/team\" }\n  other: { webhook: \"http://localhost:1/other\" }\n")
	putRules(t, dir, "10-tell.yaml", `version: 1
name: Tell
status: live
rules:
  - id: tell
    when: message
    then:
      - notify: { who: other }
      - notify: { who: team, text: "{{text|no text}}" }
`)
	log, end := running(t, server.URL+"/mobile_api", "NECTAR_RULES="+filepath.Join(dir, "rules"), "NECTAR_WEBHOOK_HOSTS="+strings.TrimPrefix(hook.URL, "http://"))
	log.Await(t, "rules are in force")
	log.Await(t, "the bot is at work")
	p.Say(p.UserID("ana"), me, "help!")
	log.Await(t, "the host localhost:1 is not in NECTAR_WEBHOOK_HOSTS")
	told.Await(t, `"text":"help!"`)
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
}

// A first start with a file that does not work ends with 78, and names file and line: no version of it could stay in force, and settings that are left out are quiet
// hours and budgets that nobody keeps. Once rules were in force a new file that does not work stays out alone.
func TestFirstStartWithABrokenFile(t *testing.T) {
	t.Parallel()
	const more = "version: 1\nname: More\nstatus: live\nrules:\n  - id: price\n    when: message\n    if: [text: { any_word: [price] }]\n    then:\n      - reply: \"It is 12.\"\n    limits: { per_person: 9 per 1h }\n"
	for name, c := range map[string]struct{ file, good, broken, want string }{
		"settings": {"settings.yaml", "version: 1\ntimezone: UTC\n", "version: 1\ntimezoen: UTC\n", ":2: "},
		"a rule":   {"20-more.yaml", more, strings.Replace(more, "reply: \"It", "repyl: \"It", 1), ":9: "},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			p := emulator.New(emulator.Config{})
			me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
			p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"})
			server := httptest.NewServer(p)
			defer server.Close()
			dir := t.TempDir()
			putRules(t, dir, "10-faq.yaml", faq)
			putRules(t, dir, c.file, c.broken)
			base, environ := server.URL+"/mobile_api", []string{"NECTAR_RULES=" + filepath.Join(dir, "rules"), "NECTAR_STORE=sqlite:" + filepath.Join(dir, "bot.db")}
			for range 2 { // nothing that the first one left behind makes the second one another
				log, end := running(t, base, environ...)
				log.Await(t, "the bot has not started")
				if status := end(); status != cli.ExitConfig || !strings.Contains(log.String(), filepath.Join(dir, "rules", c.file)+c.want) {
					t.Fatalf("status %d\n%s", status, log)
				}
			}
			if calls := p.Ledger().Since(0); len(calls) > 0 {
				t.Errorf("it did %v", calls)
			}
			putRules(t, dir, c.file, c.good)
			log, end := running(t, base, environ...)
			log.Await(t, "the bot is at work")
			if status := end(); status != 0 {
				t.Fatalf("status %d\n%s", status, log)
			}
			putRules(t, dir, c.file, c.broken)
			putRules(t, dir, "90-new.yaml", c.broken)
			log, end = running(t, base, environ...)
			log.Await(t, "the bot is at work")
			ana := script.Actor("ana")
			if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{ana.Says("is there parking?"), ana.Expects("There is parking behind the house.")}}); err != nil {
				t.Errorf("%v\n%s", err, log)
			}
			if status := end(); status != 0 {
				t.Errorf("status %d\n%s", status, log)
			}
		})
	}
}

// A first start ends with 78 when rules that act call people, and nobody gets that: customers would be promised an answer of which nobody is told.
func TestFirstStartThatCallsNobody(t *testing.T) {
	t.Parallel()
	const (
		tells = "version: 1\nname: Tell\nstatus: live\nrules:\n  - id: tell\n    when: message\n    then:\n      - notify: { who: team }\n"
		team  = "version: 1\nwho: { team: %s }\n"
	)
	for name, c := range map[string]struct{ rules, settings, want string }{
		"without settings":       {tells, "", "10-tell.yaml:8: notify → who: nobody can be called: no settings.yaml"},
		"without an address":     {tells, fmt.Sprintf(team, "{}"), "settings.yaml: nobody can be called: no team has an address"},
		"with none that is let":  {tells, fmt.Sprintf(team, "ntfy://ntfy.sh/topic"), "settings.yaml: nobody can be called: ntfy://ntfy.sh/…: the host ntfy.sh is not in NECTAR_WEBHOOK_HOSTS"},
		"with a step that calls": {strings.Replace(callsInStep, "watch", "ask", 1), fmt.Sprintf(team, "{}"), "nobody can be called: no team has an address"},
		"on watch":               {strings.Replace(tells, "live", "watch", 1), fmt.Sprintf(team, "{}"), ""},
		"with nothing to tell":   {faq, fmt.Sprintf(team, "{}"), ""},
		"with a host of ours":    {tells, fmt.Sprintf(team, "ntfy://127.0.0.1:1/topic"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			p := emulator.New(emulator.Config{})
			p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
			server := httptest.NewServer(p)
			defer server.Close()
			dir := t.TempDir()
			putRules(t, dir, "10-tell.yaml", c.rules)
			if c.settings != "" {
				putRules(t, dir, "settings.yaml", c.settings)
			}
			log, end := running(t, server.URL+"/mobile_api", "NECTAR_RULES="+filepath.Join(dir, "rules"), "NECTAR_WEBHOOK_HOSTS=127.0.0.1:1")
			if c.want == "" {
				log.Await(t, "the bot is at work")
				if status := end(); status != 0 {
					t.Errorf("status %d\n%s", status, log)
				}
				return
			}
			log.Await(t, "the bot has not started")
			if status := end(); status != cli.ExitConfig || !strings.Contains(log.String(), c.want) {
				t.Errorf("status %d\n%s", status, log)
			}
		})
	}
}

// callsInStep is a conversation that tells people at its end.
const callsInStep = `version: 1
name: Quote
status: watch
conversations:
  - id: quote
    start: { when: message, if: { text: { any_word: [quote] } } }
    limits: { per_person: 1 per 1d }
    if_silent: [{ after: 24h, goto: done }]
    steps:
      - { id: guests, ask: "How many guests?", expect: number, save_as: guests, next: done }
      - { id: done, say: "Thank you!", then: [{ notify: { who: team } }], end: asked }
`
