package cmd

import (
	"database/sql"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/readback"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// auditJSON runs an audit and reads what it prints.
func auditJSON(t *testing.T, environ []string, args ...string) (readback.Audited, result) {
	t.Helper()
	got := nectarIn(t, environ, append([]string{"audit", "--json"}, args...)...)
	var a readback.Audited
	if err := json.Unmarshal([]byte(got.stdout), &a); err != nil || len(a.Accounts) != 1 {
		t.Fatalf("%v: %+v", err, got)
	}
	if strings.Contains(got.stdout+got.stderr, hunter2) {
		t.Errorf("the secret is repeated: %+v", got)
	}
	return a, got
}

// The audit works beside a running bot, with the bot's session, and after it.
func TestAudit(t *testing.T) {
	t.Parallel()
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	p.Say(p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana"}), me, "before the bot")
	server := httptest.NewServer(p)
	defer server.Close()
	file := t.TempDir() + "/bot.db"
	environ := []string{
		"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2,
		"NECTAR_STORE=sqlite:" + file,
	}
	log, end := running(t, server.URL+"/mobile_api", environ[3])
	log.Await(t, "the bot is at work")
	ana, leo := script.Actor("ana"), script.Actor("leo")
	if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{
		ana.Says("are you open?"), ana.Expects("Thanks for writing"), leo.Follows(), leo.Expects("Leo"),
	}}); err != nil {
		t.Fatal(err)
	}
	beside, got := auditJSON(t, environ)
	if c := beside.Accounts[0].Total; got.status != 0 || !beside.OK || c.Seen != 2 || c.Missing != 0 {
		t.Errorf("beside the bot: %+v", got)
	}
	p.Expire(me)
	if renewed, got := auditJSON(t, environ); got.status != 0 || renewed.Accounts[0].Total.Seen != 2 {
		t.Errorf("while the bot renews its session: %+v", got)
	}
	if logins := judge.Platform(p, judge.Expect{Account: me}).Logins; logins != 1 {
		t.Errorf("the audit signed in: %d sign-ins", logins)
	}
	if status := end(); status != 0 {
		t.Fatal(log)
	}
	after, got := auditJSON(t, environ, "--account", "main")
	if c := after.Accounts[0].Total; got.status != 0 || c.Seen != 2 || c.Handled != 2 || c.Sent != 2 {
		t.Errorf("after the bot: %+v", got)
	}
	if logins := judge.Platform(p, judge.Expect{Account: me}).Logins; logins != 1 {
		t.Errorf("the audit signed in: %d sign-ins", logins)
	}
	forget(t, file)
	lost := nectarIn(t, environ, "audit", "--since", "0")
	for _, want := range []string{"2 seen, 1 handled, 0 pending, 0 quarantined, 0 not read yet, 1 missing", "Ana: 1 missing of 1", "missing: message:", "Answer these people by hand"} {
		if lost.status != 1 || !strings.Contains(lost.stdout, want) {
			t.Errorf("want %q and status 1, got %+v", want, lost)
		}
	}
}

// forget takes the messages out of a store.
func forget(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `DELETE FROM event WHERE source = 1`); err != nil {
		t.Fatal(err)
	}
}

func TestAuditThatCannot(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no database": {nil, 1, "run the bot first"},
		"no account":  {[]string{"--account", "other"}, 2, `there is no account "other": the settings have main`},
	} {
		t.Run(name, func(t *testing.T) {
			got := nectarIn(t, environ, append([]string{"audit"}, c.args...)...)
			if got.status != c.status || !strings.Contains(got.stderr, c.want) {
				t.Errorf("want %q and status %d, got %+v", c.want, c.status, got)
			}
		})
	}
}

// What was not read is not said to be complete.
func TestAuditSaysWhatWasRead(t *testing.T) {
	const all, read = "\nnothing is missing\n", "\nnothing is missing in what was read"
	for name, c := range map[string]struct {
		report  audit.Report
		want    string
		without string
	}{
		"all of it":         {audit.Report{Compared: 3}, all, read},
		"a page too few":    {audit.Report{Compared: 3, Notes: []string{"of the chat with 7, 200 pages were read only"}}, read, all},
		"a chat is refused": {audit.Report{Compared: 3, Unread: 1, Notes: []string{"the chat with 7 was not read"}}, "1 not read: ", all},
		"nothing of it":     {audit.Report{Notes: []string{"the bot has never polled"}}, "nothing could be compared", "nothing is missing"},
		"something missing": {audit.Report{Compared: 1, Total: audit.Count{Missing: 1}}, "1 missing", "nothing is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			(&readback.Audited{OK: c.report.OK(), Accounts: []audit.Report{c.report}}).Print(&out)
			if got := out.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.without) {
				t.Errorf("want %q and not %q, got %s", c.want, c.without, got)
			}
		})
	}
}

// A bot that has never polled has nothing that could be compared.
func TestAuditOfABotThatNeverRan(t *testing.T) {
	_, environ := clinic(t, emulator.Dialect{})
	if got := nectarIn(t, environ, "migrate"); got.status != 0 {
		t.Fatal(got)
	}
	found, got := auditJSON(t, environ)
	if got.status != cli.ExitFailed || found.OK || found.Accounts[0].Compared != 0 || len(found.Accounts[0].Notes) != 3 {
		t.Errorf("got %+v", got)
	}
	if got := nectarIn(t, environ, "audit"); got.status != cli.ExitFailed || !strings.Contains(got.stdout, "nothing could be compared") {
		t.Errorf("got %+v", got)
	}
}
