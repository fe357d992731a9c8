//go:build unix

package cmd

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// moves changes the e-mail address of settings.
func moves(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, ".env")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// onlySignedIn wants an account to have done nothing but sign in, so often.
func onlySignedIn(t *testing.T, p *emulator.Platform, account platform.UserID, often int) {
	t.Helper()
	n := 0
	for _, e := range p.Ledger().Since(0) {
		switch {
		case e.From != account || !e.ByAPI:
		case e.Kind == emulator.LoggedIn:
			n++
		default:
			t.Errorf("the other account did %v: %+v", e.Kind, e)
		}
	}
	if n != often {
		t.Errorf("the other account signed in %d times, want %d", n, often)
	}
}

// Who writes the credentials of another account into the settings, and keeps the database, is told so in a line, and nothing is done
// as that account. With the address of before, all goes on.
func TestAnotherAccountInTheSettings(t *testing.T) {
	t.Parallel()
	const shop, cafe = "shop@social.example", "cafe@social.example"
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, shop, hunter2)
	other := p.AddAccount(emulator.Person{Username: "cafe"}, cafe, hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	dir := settings(t, server.URL+"/mobile_api", shop)
	ana, leo := script.Actor("ana"), script.Actor("leo")
	play := func(account platform.UserID, steps ...script.Step) {
		t.Helper()
		if err := script.Play(soon(t), p, script.Script{Account: account, Steps: steps}); err != nil {
			t.Error(err)
		}
	}
	bot := start(t, dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	play(me, ana.Says("hello"), ana.Expects("Ana"))
	bot.Stop()

	moves(t, dir, shop, cafe)
	play(me, leo.Says("is anybody there?"))
	play(other, ana.Says("is the cafe open?"))
	want := fmt.Sprintf("account main: in nectar.db it is @shop (number %d), and the settings sign in as @cafe (number %d); nothing is done as @cafe. "+
		"Put the e-mail address of @shop back, or write another NECTAR_STORE for @cafe, or delete nectar.db with all that the bot knows of @shop", me, other)
	stopped := start(t, dir, "run", "--starter")
	if status := stopped.End(); status != cli.ExitConfig || !strings.HasSuffix(stopped.String(), "nectar: "+want+"\n") || strings.Count(stopped.String(), "nothing is done as @cafe") != 1 {
		t.Errorf("status %d:\n%s", status, stopped)
	}
	looked := start(t, dir, "doctor")
	if status := looked.End(); status != cli.ExitFailed || !strings.Contains(looked.String(), want) {
		t.Errorf("status %d:\n%s", status, looked)
	}
	onlySignedIn(t, p, other, 2)

	moves(t, dir, cafe, shop)
	bot = start(t, dir, "run", "--starter")
	play(me, leo.Expects("Leo"))
	beside := start(t, dir, "doctor") // of a bot that runs
	if beside.End(); strings.Contains(beside.String(), "@cafe") {
		t.Errorf("the account itself is taken for another one:\n%s", beside)
	}
	moves(t, dir, shop, cafe)
	if looked = start(t, dir, "doctor"); looked.End() != cli.ExitFailed || !strings.Contains(looked.String(), want) {
		t.Errorf("beside the bot the doctor says:\n%s", looked)
	}
	bot.Stop()
	onlySignedIn(t, p, other, 3)
	for _, printed := range []string{bot.String(), stopped.String(), looked.String(), beside.String()} {
		if strings.Contains(printed, hunter2) {
			t.Errorf("the password is printed:\n%s", printed)
		}
	}
}

// An account that gets another one's credentials while the bot runs is parked, which is said once; the others go on, and it does, too,
// when it has its own again. So it is after a start.
func TestAnotherAccountBySignal(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, c := range map[string]struct {
		store func(c *branches)
		said  string
		hup   string
	}{
		"a file": {func(*branches) {}, "and the settings sign in as @bar", "1 account parked"},
		"a server": {func(c *branches) {
			s := newSchema(c.T)
			c.env = append(c.env, "NECTAR_STORE="+s.URL(""), "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))
			c.write(".env", strings.Join(c.env, "\n"))
		}, "its credentials sign in as @bar", "1 account changed"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			b := newBranches(t)
			c.store(b)
			b.parks(c.said, c.hup)
		})
	}
}

// says returns how many lines of the log say something, but for the notice for people: on a slow machine that comes before the end.
func (c *branches) says(what string) (n int) {
	for line := range strings.Lines(c.bot.String()) {
		if strings.Contains(line, what) && !strings.Contains(line, "msg=notice") {
			n++
		}
	}
	return n
}

func (c *branches) parks(said, hup string) {
	wrong := strings.Replace(cafeLine, "email: cafe@", "email: bar@", 1)
	c.accounts(shopLine, cafeLine)
	c.run()
	c.works()
	c.asks("cafe", "ana", cafeHours)
	c.accounts(shopLine, wrong)
	c.hup(hup)
	c.bot.Await(c.T, said)
	c.play("cafe", script.Actor("mia").Says("are you open?"))
	c.asks("shop", "ana", commonHours)
	c.hup("no account came, went or changed")
	c.asks("shop", "leo", commonHours)
	if n := c.says("sign in as @bar"); n != 1 {
		c.Errorf("it is said %d times:\n%s", n, c.bot)
	}
	onlySignedIn(c.T, c.platform, c.ids["bar"], 1)
	c.accounts(shopLine, cafeLine)
	c.hup("1 account changed")
	c.answered("cafe", "mia", 1)
	c.bot.Stop()

	c.accounts(shopLine, wrong)
	c.run()
	c.bot.Await(c.T, "an account is not taken up")
	c.works()
	c.asks("shop", "mia", commonHours)
	if n := c.says("sign in as @bar"); n != 1 {
		c.Errorf("after a start it is said %d times:\n%s", n, c.bot)
	}
	onlySignedIn(c.T, c.platform, c.ids["bar"], 2)
	c.end()
}
