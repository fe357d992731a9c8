package cmd

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/readback"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// What is missing is read again when somebody asks for it: by the running bot at once, otherwise by the next start. To
// ask twice changes nothing.
func TestAuditRepair(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
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
		ana.Says("are you open?"), ana.Expects("Thanks for writing"), leo.Says("and you?"), leo.Expects("Thanks for writing"),
	}}); err != nil {
		t.Fatal(err)
	}
	repair := func(want string, wants ...string) {
		t.Helper()
		got := nectarIn(t, environ, "audit", "--since", "0", "--repair")
		for _, want := range append(wants, want) {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("want %q, got %+v", want, got)
			}
		}
	}
	repair("nothing is missing that could be read again: nothing was changed")
	forget(t, file)
	repair("Ana: message:", "2 missing", "is read again", "is handled once, however old it is")
	repair("nothing is missing that could be read again: nothing was changed")
	if status := end(); status != 0 {
		t.Fatal(log)
	}
	forget(t, file)
	repair("No bot runs on "+file+" at the moment: it is done when one starts.", "asked for")
	repair("it waits since an earlier audit", "No bot runs on")
	asked, got := auditJSON(t, environ, "--since", "0", "--repair")
	if r := asked.Repair; got.status != cli.ExitFailed || r == nil || r.Running || len(r.Asked) != 2 || r.Asked[0].Outcome != readback.RepairAsked || len(r.Asked[0].Events) != 1 {
		t.Errorf("got %+v", got)
	}
	log, end = running(t, server.URL+"/mobile_api", environ[3])
	log.Await(t, "the bot is at work")
	tom := script.Actor("tom")
	if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{tom.Says("hello"), tom.Expects("Thanks for writing")}}); err != nil {
		t.Fatal(err)
	}
	repair("nothing is missing that could be read again: nothing was changed", " 3 handled")
	if status := end(); status != 0 {
		t.Fatal(log)
	}
	if v := judge.Platform(p, judge.Expect{Account: me}); v.Doubled != 3 { // all that it said, and nothing twice
		t.Errorf("%+v", v)
	}
}
