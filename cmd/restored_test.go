package cmd

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// A copy that was put back is told of by the log and by the doctor; what was taken over by reading what was done since can be given back
// together, and what one of ours has written since stays hers.
func TestRestored(t *testing.T) {
	t.Parallel()
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
	greeted := script.Script{Account: me, Steps: []script.Step{
		ana.Says("are you open?"), ana.Expects("Thanks for writing"), leo.Says("are you open?"), leo.Expects("Thanks for writing"),
	}}
	if err := script.Play(soon(t), p, greeted); err != nil {
		t.Fatal(err)
	}
	if got := nectarIn(t, environ, "restored"); got.status != 1 || !strings.Contains(got.stderr, "stop it first") {
		t.Errorf("beside the bot: %+v", got)
	}
	end()
	copied, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"ana", "leo"} {
		p.SayAs(me, p.UserID(who), "this is Ines myself")
	}
	if err := os.WriteFile(file, copied, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := nectarIn(t, environ, "restored", "--as", "ines"); got.status != 0 || !strings.Contains(got.stdout, "the next start of the bot is careful") {
		t.Fatalf("%+v", got)
	}
	log, end = running(t, server.URL+"/mobile_api", environ[3])
	log.Await(t, "a copy of the database was put back")
	if got := nectarIn(t, environ, "doctor"); !strings.Contains(got.stdout, "the database is a copy of ") || !strings.Contains(got.stdout, "2 conversations in which a person of ours has") {
		t.Errorf("%+v", got)
	}
	if got := nectarIn(t, environ, "conversations", "give-back", "--all", "--dry-run"); got.status != 0 || !strings.Contains(got.stdout, "@ana") || !strings.Contains(got.stdout, "@leo") {
		t.Errorf("%+v", got)
	}
	p.SayAs(me, p.UserID("leo"), "me again")
	awaitsHand(t, environ, "leo", "me again")
	got := nectarIn(t, environ, "conversations", "give-back", "--all", "--wait", "20s")
	if got.status != 0 || strings.Contains(got.stdout, "@leo") {
		t.Errorf("%+v", got)
	}
	if got := nectarIn(t, environ, "conversations", "--taken-over"); strings.Contains(got.stdout, "@ana") || !strings.Contains(got.stdout, "@leo") {
		t.Errorf("%+v", got)
	}
	if status := end(); status != 0 {
		t.Error(log)
	}
}

// awaitsHand waits until the bot has seen what was written to somebody by hand.
func awaitsHand(t *testing.T, environ []string, who, text string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		if got := nectarIn(t, environ, "conversations", "show", "@"+who); strings.Contains(got.stdout, text) {
			return
		}
	}
	t.Fatalf("nobody has seen what was written to %s", who)
}
