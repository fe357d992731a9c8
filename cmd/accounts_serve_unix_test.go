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
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
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
	bot.Await(t, "no account of the database is on")
	ask := func(who string, steps ...script.Step) {
		t.Helper()
		me := p.me
		if strings.HasPrefix(who, "cafe") {
			me = cafe
		}
		if err := script.Play(soon(t), p.platform, script.Script{Account: me, Steps: steps}); err != nil {
			t.Errorf("%s: %v\n%s", who, err, bot)
		}
	}
	ana, leo := script.Actor("ana"), script.Actor("leo")
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	bot.Await(t, "accounts of the database have changed: 1 account came")
	bot.Await(t, "the bot is at work")
	ask("shop", ana.Says("are you open?"), ana.Expects(openHours))
	p.tells(hunter2, 0, `added`, "accounts", "add", "cafe", "--email", "cafe@social.example", "--password-stdin")
	p.tells(hunter2, 0, `added`, "accounts", "add", "lost", "--email", "lost@social.example", "--rules", "/nowhere", "--password-stdin")
	bot.Await(t, "an account of the database cannot be served; the others are")
	bot.Await(t, `msg="the bot is at work" accounts=[cafe]`)
	ask("cafe", leo.Says("are you open?"), leo.Expects(openHours))
	p.tells("", 0, `paused`, "accounts", "pause", "shop", "--why", "closed")
	bot.Await(t, "accounts of the database have changed: 1 account went")
	p.platform.Say(p.platform.UserID("ana"), p.me, "are you open, still?")
	ask("cafe", leo.Says("are you open, too?"), leo.Expects(openHours))
	p.does(0, "shop     paused", "accounts")
	p.tells("", 0, `changed`, "accounts", "set", "shop", "--state", "on", "--concurrency", "4")
	ask("shop", ana.Expects(openHours))
	p.tells("", 0, `removed`, "accounts", "remove", "cafe", "--yes")
	bot.Await(t, "went=[cafe]")
	p.does(0, "removed", "accounts")
	bot.Stop()
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
	effort.Shared(t)
	p := newStoredPractice(t).migrated()
	p.environ = append(p.environ, "NECTAR_FIRST_SIGN_INS=50/s")
	writeEnv(t, p.dir, p.environ)
	p.tells("", 0, `^of 30 accounts 30 added\n$`, "accounts", "import", p.crowdFile(30)) // nobody knows them
	bot := p.start("run")
	const stopped = "20 accounts in a row were refused that had never signed in"
	bot.Await(t, stopped)
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	bot.Await(t, `msg="the bot is at work" accounts=[shop]`)
	ana := script.Actor("ana")
	if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	if n := strings.Count(bot.String(), stopped); n != 1 {
		t.Errorf("it says %d times that it has stopped\n%s", n, bot)
	}
	bot.Stop()
}

// TestAccountWhoseRulesComeLater: an account without rules keeps nobody up, and is served when they are there.
func TestAccountWhoseRulesComeLater(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	p := newStoredPractice(t)
	rules, elsewhere := filepath.Join(p.dir, "rules"), filepath.Join(p.dir, "elsewhere")
	if err := os.Rename(rules, elsewhere); err != nil {
		t.Fatal(err)
	}
	bot := p.start("run")
	bot.Await(t, "shards taken")
	p.does(1, "complete, without accounts: nectar accounts add and import bring some into the database", "doctor")
	p.does(cli.ExitUsage, "none stands in the database", "doctor", "--campaigns", "--yes")
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--password-stdin")
	bot.Await(t, "an account of the database cannot be served")
	p.does(0, "nothing is to be done", "outbox", "--account", "shop")
	p.does(0, "shop     new", "accounts", "--account", "shop")
	if err := os.Rename(elsewhere, rules); err != nil {
		t.Fatal(err)
	}
	bot.Await(t, "came=[shop]")
	bot.Await(t, "the bot is at work")
	p.does(1, "complete, with these accounts: shop", "doctor")
	p.does(0, "opening-hours", "rules")
	bot.Stop()
}

// worker starts one of several workers.
func (p *practice) worker(name string) *child.Process {
	p.Helper()
	file := filepath.Join(p.dir, name+".env")
	if err := os.WriteFile(file, []byte(strings.Join(append(slices.Clone(p.environ), "NECTAR_WORKER="+name), "\n")), 0o600); err != nil {
		p.Fatal(err)
	}
	return p.start("run", "--env-file", file)
}

// awaits waits until one of the workers has an account.
func (p *practice) awaits(name string, workers ...*child.Process) {
	p.Helper()
	works := regexp.MustCompile(`the bot is at work" accounts="?\[[^]]*\b` + name + `\b`)
	if whoSays(patience, works.MatchString, workers...) == nil {
		p.Fatalf("nobody serves %s:\n%s", name, workers)
	}
}

// whoSays waits for a while until one of several processes says something, and returns that one; nil for none.
func whoSays(patience time.Duration, says func(all string) bool, of ...*child.Process) *child.Process {
	for began := time.Now(); time.Since(began) < patience; time.Sleep(20 * time.Millisecond) {
		for _, p := range of {
			if says(p.String()) {
				return p
			}
		}
	}
	return nil
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
	one.Await(t, "shards taken")
	two := p.worker("two")
	two.Await(t, "shards taken")
	p.tells("", 0, `of 6 accounts 6 added`, "accounts", "import", p.file(file.String()))
	ask := func(name, who string) {
		t.Helper()
		ana := script.Actor(who)
		if err := script.Play(soon(t), p.platform, script.Script{Account: ids[name], Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, one, two)
		}
	}
	for name := range ids {
		p.awaits(name, one, two)
		ask(name, "ana-"+name)
	}
	p.tells("", 0, `paused`, "accounts", "pause", "shop0", "shop1")
	for _, bot := range []*child.Process{one, two} {
		bot.Await(t, `went="[shop0 shop1]"`)
	}
	one.Kill()
	p.tells("", 0, `: on\n`, "accounts", "on", "shop0")
	for name := range ids {
		if name != "shop1" {
			ask(name, "leo-"+name)
		}
	}
	two.Stop()
}
