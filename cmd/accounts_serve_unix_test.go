//go:build unix

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// TestServesAccountsOfTheDatabase: a worker notices what becomes of accounts while it runs, and does not touch the others.
func TestServesAccountsOfTheDatabase(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t)
	cafe := p.platform.AddAccount(emulator.Person{Username: "cafe"}, "cafe@social.example", hunter2)
	bot := p.start("run")
	bot.wait(t, "no account of the database is on")
	ask := func(who string, steps ...script.Step) {
		t.Helper()
		me := p.me
		if strings.HasPrefix(who, "cafe") {
			me = cafe
		}
		if err := script.Play(t.Context(), p.platform, script.Script{Account: me, Steps: steps}); err != nil {
			t.Errorf("%s: %v\n%s", who, err, bot)
		}
	}
	ana, leo := script.Actor("ana"), script.Actor("leo")
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	bot.wait(t, "accounts of the database have changed: 1 account came")
	bot.wait(t, "the bot is at work")
	ask("shop", ana.Says("are you open?"), ana.Expects(openHours))
	p.tells(hunter2, 0, `added`, "accounts", "add", "cafe", "--email", "cafe@social.example", "--password-stdin")
	p.tells(hunter2, 0, `added`, "accounts", "add", "lost", "--email", "lost@social.example", "--rules", "/nowhere", "--password-stdin")
	bot.wait(t, "an account of the database cannot be served; the others are")
	bot.wait(t, `msg="the bot is at work" accounts=[cafe]`)
	ask("cafe", leo.Says("are you open?"), leo.Expects(openHours))
	p.tells("", 0, `paused`, "accounts", "pause", "shop", "--why", "closed")
	bot.wait(t, "accounts of the database have changed: 1 account went")
	p.platform.Say(p.platform.UserID("ana"), p.me, "are you open, still?")
	ask("cafe", leo.Says("are you open, too?"), leo.Expects(openHours))
	p.does(0, "shop     paused", "accounts")
	p.tells("", 0, `changed`, "accounts", "set", "shop", "--state", "on", "--concurrency", "4")
	ask("shop", ana.Expects(openHours))
	p.tells("", 0, `removed`, "accounts", "remove", "cafe", "--yes")
	bot.wait(t, "went=[cafe]")
	p.does(0, "removed", "accounts")
	if status := bot.end(t); status != 0 {
		t.Errorf("status %d:\n%s", status, bot)
	}
	if p.platform.Logins() != 2 {
		t.Errorf("%d sign-ins\n%s", p.platform.Logins(), bot)
	}
	p.does(1, "shop", "doctor")
	p.does(0, "nothing is missing", "audit", "--account", "shop")
}

// TestFirstSignIns: of many accounts that come with wrong passwords a few are tried, and that is said once; one that is changed lets
// the others be tried again.
func TestFirstSignIns(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	p.environ = append(p.environ, "NECTAR_FIRST_SIGN_INS=50/s")
	writeEnv(t, p.dir, p.environ)
	p.tells("", 0, `^of 30 accounts 30 added\n$`, "accounts", "import", p.crowdFile(30)) // nobody knows them
	bot := p.start("run")
	const stopped = "20 accounts in a row were refused that had never signed in"
	bot.wait(t, stopped)
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	bot.wait(t, `msg="the bot is at work" accounts=[shop]`)
	ana := script.Actor("ana")
	if err := script.Play(t.Context(), p.platform, script.Script{Account: p.me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	if n := strings.Count(bot.String(), stopped); n != 1 {
		t.Errorf("it says %d times that it has stopped\n%s", n, bot)
	}
	if status := bot.end(t); status != 0 {
		t.Errorf("status %d:\n%s", status, bot)
	}
}

// TestAccountWhoseRulesComeLater: an account without rules keeps nobody up, and is served when they are there.
func TestAccountWhoseRulesComeLater(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t)
	rules, elsewhere := filepath.Join(p.dir, "rules"), filepath.Join(p.dir, "elsewhere")
	if err := os.Rename(rules, elsewhere); err != nil {
		t.Fatal(err)
	}
	bot := p.start("run")
	bot.wait(t, "shards taken")
	p.does(1, "complete, without accounts: nectar accounts add and import bring some into the database", "doctor")
	p.does(cli.ExitUsage, "none stands in the database", "doctor", "--campaigns", "--yes")
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	bot.wait(t, "an account of the database cannot be served")
	p.does(0, "nothing is to be done", "outbox", "--account", "shop")
	p.does(0, "shop     new", "accounts", "--account", "shop")
	if err := os.Rename(elsewhere, rules); err != nil {
		t.Fatal(err)
	}
	bot.wait(t, "came=[shop]")
	bot.wait(t, "the bot is at work")
	p.does(1, "complete, with these accounts: shop", "doctor")
	p.does(0, "opening-hours", "rules")
	if status := bot.end(t); status != 0 {
		t.Errorf("status %d:\n%s", status, bot)
	}
}

// worker starts one of several workers.
func (p *practice) worker(name string) process {
	p.Helper()
	file := filepath.Join(p.dir, name+".env")
	if err := os.WriteFile(file, []byte(strings.Join(append(slices.Clone(p.environ), "NECTAR_WORKER="+name), "\n")), 0o600); err != nil {
		p.Fatal(err)
	}
	return p.start("run", "--env-file", file)
}

// awaits waits until one of the workers has an account.
func (p *practice) awaits(name string, workers ...process) {
	p.Helper()
	works := regexp.MustCompile(`the bot is at work" accounts="?\[[^]]*\b` + name + `\b`)
	for {
		var grown []chan struct{}
		for _, w := range workers {
			w.mu.Lock()
			grown = append(grown, w.grown)
			w.mu.Unlock()
			if works.MatchString(w.String()) {
				return
			}
		}
		select {
		case <-grown[0]:
		case <-grown[1]:
		case <-p.Context().Done():
			p.Fatalf("nobody serves %s", name)
		}
	}
}

// TestTwoWorkersServeTheDatabase: whichever worker has an account notices what becomes of it.
func TestTwoWorkersServeTheDatabase(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	const accounts = 6
	ids := map[string]platform.UserID{}
	var file strings.Builder
	file.WriteString("accounts:\n")
	for i := range accounts {
		name := fmt.Sprint("shop", i)
		ids[name] = p.platform.AddAccount(emulator.Person{Username: name}, name+"@social.example", hunter2)
		fmt.Fprintf(&file, "  %s: { email: %[1]s@social.example, password: '%[2]s' }\n", name, hunter2)
	}
	one := p.worker("one")
	one.wait(t, "shards taken")
	two := p.worker("two")
	two.wait(t, "shards taken")
	p.tells("", 0, `of 6 accounts 6 added`, "accounts", "import", p.file(file.String()))
	ask := func(name, who string) {
		t.Helper()
		ana := script.Actor(who)
		if err := script.Play(t.Context(), p.platform, script.Script{Account: ids[name], Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, one, two)
		}
	}
	for name := range ids {
		p.awaits(name, one, two)
		ask(name, "ana-"+name)
	}
	p.tells("", 0, `paused`, "accounts", "pause", "shop0", "shop1")
	for _, bot := range []process{one, two} {
		bot.wait(t, `went="[shop0 shop1]"`)
	}
	p.kill(one)
	p.tells("", 0, `: on\n`, "accounts", "on", "shop0")
	for name := range ids {
		if name != "shop1" {
			ask(name, "leo-"+name)
		}
	}
	if status := two.end(t); status != 0 {
		t.Errorf("status %d:\n%s", status, two)
	}
}
