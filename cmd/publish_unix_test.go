//go:build unix

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// publishing is a practice whose accounts act by what is published as shop.
func publishing(t *testing.T) *practice {
	t.Helper()
	p := newPractice(t)
	for i, v := range p.environ {
		if strings.HasPrefix(v, "NECTAR_RULES=") {
			p.environ[i] = "NECTAR_RULES=store:shop"
		}
	}
	writeEnv(t, p.dir, p.environ)
	p.does(0, "was made", "migrate")
	return p
}

// write writes rules into a folder that is not published yet.
func (p *practice) write(file, content string) string {
	p.Helper()
	putRules(p.T, p.dir, file, content)
	return filepath.Join(p.dir, "rules")
}

// TestPublishRules: a folder is checked, published, listed and taken back, and all of it is told in words and in JSON.
func TestPublishRules(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	const none = "nothing is published in this database: nectar publish FOLDER publishes a folder of rules\n"
	p.does(0, none, "history")
	p.does(1, "nectar: "+none, "history", "shop")
	p.does(1, "nectar: "+none, "back")
	p.does(1, "nectar: "+none, "check")
	p.does(1, "nectar: "+none, "plan")
	p.does(1, "FAILED   rules                        nothing is published in this database: nectar publish FOLDER publishes a folder of rules; main will not be taken up before that\n", "doctor")
	p.does(cli.ExitConfig, "--starter is for a bot without rules, and the settings name shop, which is published: leave the flag out\n", "run", "--starter")

	rules := p.write("20-more.yaml", "version: 1\nrulez: []\n")
	p.does(1, `there is no "rulez" here`, "publish", rules, "shop")
	p.does(1, "nothing was published as shop\n", "publish", rules, "shop")
	p.does(1, `"published": false`, "publish", rules, "shop", "--json")
	p.does(0, none, "history")

	p.write("20-more.yaml", greeting("more", "Hello."))
	p.does(0, "shop 1 would be in force: 2 added of 2 files\n  added     10-faq.yaml\n  added     20-more.yaml\n", "publish", rules, "shop", "--dry-run")
	p.does(0, none, "history")
	p.does(0, "shop 1 is in force: 2 added of 2 files\n", "publish", rules, "shop", "--why", "the beginning", "--as", "ines")
	p.does(0, "nothing has changed: shop 1 is in force, which ines published on 2", "publish", rules, "shop")
	p.does(0, "2 files read", "check")
	p.does(0, "2 files read", "check", "store:shop")
	p.does(cli.ExitUsage, "shop is published: change its files in the folder that you publish, and publish that: nectar publish FOLDER shop\n", "rules", "watch", "10-faq.yaml", "--yes")

	p.write("10-faq.yaml", strings.Replace(faq, "nine", "ten", 1))
	p.does(0, "No account of the settings here acts by it: NECTAR_RULES=store:rules lets all do", "publish", rules, "--dry-run")
	p.does(0, "rules 1 is in force: 2 added of 2 files\n", "publish", rules, "--why", "odd \x00\xff")
	if err := os.Remove(filepath.Join(rules, "20-more.yaml")); err != nil {
		t.Fatal(err)
	}
	p.does(0, "shop 2 is in force: 1 changed, 1 removed of 1 file\n  changed   10-faq.yaml\n  removed   20-more.yaml\n", "publish", rules, "shop", "--as", "le\x00o")
	p.does(1, "nectar: nothing was published: leo has published shop 2 on 2", "publish", rules, "shop", "--after", "1")
	p.does(0, "nothing has changed", "publish", rules, "shop", "--after", "2")
	p.does(cli.ExitUsage, "several sets are published: name one of rules, shop\n", "back")
	p.does(1, `nothing is published as sho; did you mean "shop"?`, "back", "sho")
	p.does(cli.ExitUsage, "shop has no edition 7: they are numbered from 1 to 2, which is in force\n", "back", "shop", "--to", "7")
	p.does(1, "rules has one edition alone, and it is in force\n", "back", "rules")
	p.does(0, "shop 3 is in force, as 1 was: 1 added, 1 changed of 2 files\n", "back", "shop", "--why", "ten is too late")
	history := p.does(0, "", "history", "shop").stdout
	for i, want := range []string{"NUMBER ", "3 in force  2", "2           2", "1           2"} {
		if lines := strings.Split(history, "\n"); !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is not %q…\n%s", i, want, history)
		}
	}
	for _, want := range []string{"back to 1: ten is too late", "ines  ", "the beginning"} {
		if !strings.Contains(history, want) {
			t.Errorf("no %q in\n%s", want, history)
		}
	}
	p.does(0, `"set":"shop","number":3,"version":"`, "history", "--json")
	p.does(0, "shop 4 is in force, as 2 was", "back", "shop")
	p.does(0, "nothing has changed: shop 4 is in force", "back", "shop", "--to", "2")
	p.does(0, `"published": true`, "back", "shop", "--to", "1", "--json")

	for _, c := range [][]string{{"publish", rules, "My Shop"}, {"publish", "store:shop"}, {"publish", filepath.Join(rules, "10-faq.yaml")}, {"publish", "a", "b", "c"}} {
		p.does(cli.ExitUsage, "nectar: ", c...)
	}
	p.does(1, "there is no file or folder", "publish", filepath.Join(p.dir, "none"), "shop")
	odd := filepath.Join(rules, "30-\xff.yaml")
	if err := os.WriteFile(odd, []byte(greeting("odd", "Odd.")), 0o600); err == nil { // some file systems take no such name
		p.does(1, "is no proper text (UTF-8): nothing was published", "publish", rules, "shop")
	}
	onFile := append(slices.Clip(p.environ), "NECTAR_STORE=sqlite:"+filepath.Join(p.dir, "bot.db"))
	p.environ = onFile
	for _, command := range []string{"publish", "history", "back"} {
		p.does(cli.ExitUsage, "the bot that runs on it reads its folder itself", command)
	}
	p.does(cli.ExitConfig, `nectar: NECTAR_RULES: "store:shop" is published in a database of PostgreSQL, and NECTAR_STORE names a file: name a folder`+"\n", "run")
	p.does(cli.ExitConfig, `"store:shop" is published`, "check")
}

// TestRunByPublishedRules: a bot whose set is not published yet takes its account up when it is, and answers what was asked until
// then; what is published while it runs is in force within seconds, and so is what is gone back to.
func TestRunByPublishedRules(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	p.environ = append(p.environ, "NECTAR_BACKLOG=unread", "NECTAR_WORKER=one")
	writeEnv(t, p.dir, p.environ)
	rules := p.write("10-faq.yaml", faq)
	bot := p.start("run")
	bot.Await(t, "nothing is published in this database")
	ana := script.Actor("ana")
	play := func(steps ...script.Step) {
		t.Helper()
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: steps}); err != nil {
			t.Errorf("%v\n%s", err, bot)
		}
	}
	play(ana.Says("are you open? 1"))
	p.does(0, "shop 1 is in force", "publish", rules, "shop")
	bot.Await(t, `edition="shop 1"`)
	play(ana.Expects(openHours))
	p.write("10-faq.yaml", strings.Replace(faq, "nine", "ten", 1))
	p.does(0, "shop 2 is in force", "publish", rules, "shop")
	bot.Await(t, `edition="shop 2"`)
	leo := script.Actor("leo")
	play(leo.Says("are you open? 2"), leo.Expects(strings.Replace(openHours, "nine", "ten", 1)))
	p.does(0, "opening-hours  10-faq.yaml:6", "rules")
	p.does(0, "shop 3 is in force, as 1 was", "back", "shop")
	bot.Await(t, `edition="shop 3"`)
	eva := script.Actor("eva")
	play(eva.Says("are you open? 3"), eva.Expects(openHours))
	for began := time.Now(); !strings.Contains(nectarIn(t, p.environ, "history", "--json").stdout, `"back_to":1,"in_force":true,"workers":["one"]`); {
		if time.Since(began) > patience {
			t.Fatal(nectarIn(t, p.environ, "history"))
		}
	}
	bot.Stop()
	p.does(1, "1 file; rules and conversations: 2 live", "doctor") // this server is not safe
	bot = p.run()
	bot.Await(t, `edition="shop 3"`)
	max := script.Actor("max")
	play(max.Says("are you open? 4"), max.Expects(openHours))
	if bot.Stop(); strings.Contains(bot.String(), "level=ERROR") {
		t.Errorf("an error is logged:\n%s", bot)
	}
}

// shares lets the accounts of an accounts file take the place of the one of the settings: shop, and cafe where it is told by what it acts.
func (p *practice) shares(file string, shop string, cafe ...string) {
	p.Helper()
	path := filepath.Join(p.dir, file)
	text := "accounts:\n  shop: { email: shop@social.example, password: " + hunter2 + ", " + shop + " }\n"
	for _, by := range cafe {
		text += "  cafe: { email: cafe@social.example, password: " + hunter2 + ", " + by + " }\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	p.environ = slices.DeleteFunc(slices.Clone(p.environ), func(v string) bool {
		return strings.HasPrefix(v, "NECTAR_EMAIL") || strings.HasPrefix(v, "NECTAR_PASSWORD") || strings.HasPrefix(v, "NECTAR_ACCOUNTS")
	})
	p.environ = append(p.environ, "NECTAR_ACCOUNTS="+path)
	writeEnv(p.T, p.dir, p.environ)
}

// TestOneSetIsNotPublished: the accounts of others go on.
func TestOneSetIsNotPublished(t *testing.T) {
	t.Parallel()
	p := publishing(t)
	p.platform.AddAccount(emulator.Person{Username: "cafe"}, "cafe@social.example", hunter2)
	p.does(0, "shop 1 is in force", "publish", p.write("10-faq.yaml", faq), "shop")
	p.shares("accounts.yaml", "rules: 'store:shop'", "rules: 'store:cafe'")
	bot := p.start("run")
	bot.Await(t, `level=ERROR msg="nothing is published as cafe; there is shop; its accounts are taken up when something is" accounts=cafe`)
	bot.Await(t, "the bot is at work")
	ana := script.Actor("ana")
	if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	p.does(0, "cafe 1 is in force", "publish", filepath.Join(p.dir, "rules"), "cafe")
	bot.Await(t, `msg="new session" account=cafe`)
	bot.Stop()
}

// TestWorkersActByOneEdition: two workers take over what is published while people write, write to no shard of each other, and both say
// what they act by.
func TestWorkersActByOneEdition(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	if testing.Short() {
		t.Skip("shards move in seconds")
	}
	p := publishing(t)
	p.environ = append(p.environ, "NECTAR_BACKLOG=unread")
	rules := p.write("10-faq.yaml", faq)
	p.does(0, "shop 1 is in force", "publish", rules, "shop")
	ownersOnly(t, p.server)
	var workers []*child.Process
	for _, name := range []string{"one", "two"} {
		writeEnv(t, p.dir, append(slices.Clip(p.environ), "NECTAR_WORKER="+name))
		workers = append(workers, p.start("run"))
		workers[len(workers)-1].Await(t, "shards taken")
	}
	for round := range 3 {
		hours := strings.Replace(openHours, "nine", fmt.Sprint("half past ", round), 1)
		p.write("10-faq.yaml", strings.Replace(faq, "nine", fmt.Sprint("half past ", round), 1))
		p.does(0, fmt.Sprintf("shop %d is in force", round+2), "publish", rules, "shop")
		for _, w := range workers {
			w.Await(t, fmt.Sprintf(`edition="shop %d"`, round+2))
		}
		who := script.Actor(fmt.Sprint("guest", round))
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{who.Says("are you open?"), who.Expects(hours)}}); err != nil {
			t.Errorf("%v\n%s\n%s", err, workers[0], workers[1])
		}
	}
	for began := time.Now(); !strings.Contains(nectarIn(t, p.environ, "history", "--limit", "1").stdout, "one, two"); {
		if time.Since(began) > patience {
			t.Fatal(nectarIn(t, p.environ, "history"))
		}
	}
	for _, w := range workers {
		w.Stop()
		for line := range strings.Lines(w.String()) {
			if strings.Contains(line, "level=ERROR") && !leaseLost(line) || strings.Contains(line, "not its own") {
				t.Errorf("%s is logged:\n%s", line, w)
			}
		}
	}
}

// leaseLost reports whether a line of the log says that a worker has lost its lease. A machine that stands still for five seconds, under
// other tests or at its disk, costs one: the other worker takes over, as it should, and no reply gets lost.
func leaseLost(line string) bool {
	return strings.Contains(line, "the lease is lost") || strings.Contains(line, "has lost its lease")
}

// TestWorkerThatCannotAct: what is published and does not work on one worker leaves there what was in force, and the accounts go to a
// worker on which it does.
func TestWorkerThatCannotAct(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	if testing.Short() {
		t.Skip("shards move in seconds")
	}
	p := publishing(t)
	p.platform.AddAccount(emulator.Person{Username: "cafe"}, "cafe@social.example", hunter2)
	p.environ = append(p.environ, "NECTAR_BACKLOG=unread")
	rules := p.write("10-faq.yaml", faq)
	p.does(0, "shop 1 is in force", "publish", rules, "shop")
	p.environ = append(p.environ, "NECTAR_WORKER=two")
	p.shares("two.yaml", "rules: 'store:shop'")
	two := p.start("run")
	two.Await(t, "the bot is at work")

	// To this one the campaign is for an account that nobody has.
	p.write("50-spring.yaml", "version: 1\nstatus: watch\ncampaigns:\n  - id: spring\n    account: cafe\n    do: repost\n    timezone: Europe/Lisbon\n"+
		"    starts: 2037-03-08\n    ends: 2037-03-26\n    slots: [Tue 09:30]\n    posts: [{ link: https://127.0.0.1/thread/1 }]\n")
	p.write("10-faq.yaml", strings.Replace(faq, "nine", "ten", 1))
	p.environ = append(p.environ, "NECTAR_WORKER=one")
	p.shares("one.yaml", "rules: 'store:shop'", "rules: 'store:shop'")
	p.does(0, "shop 2 is in force", "publish", rules, "shop")
	two.Await(t, `msg="what is published as shop 2 does not work in this program; what was in force stays so"`)
	ask := func(name string) string {
		t.Helper()
		who := p.platform.AddPerson(emulator.Person{Username: name, FirstName: "Ana"})
		seen := p.platform.Ledger().Len()
		p.platform.Say(who, p.me, "are you open?")
		for {
			for _, e := range p.platform.Ledger().Since(0) {
				if e.Kind == emulator.Arrived && e.To == who {
					return e.Text
				}
			}
			if err := p.platform.Ledger().Wait(soon(t), seen); err != nil {
				t.Fatal(err)
			}
			seen = p.platform.Ledger().Len()
		}
	}
	if said := ask("ana"); said != openHours {
		t.Errorf("it says %q", said)
	}
	one := p.start("run")
	one.Await(t, "shards taken")
	for began, n := time.Now(), 0; ask(fmt.Sprint("leo", n)) == openHours; n++ {
		if time.Since(began) > patience {
			t.Fatalf("the account stays where it is\n%s\n%s", one, two)
		}
	}
	for _, w := range []*child.Process{two, one} {
		w.Stop()
	}
}

// TestPublishForStoredAccounts: accounts that stand in the database are known when a set is published: who acts by it, and for whom it is
// checked.
func TestPublishForStoredAccounts(t *testing.T) {
	t.Parallel()
	p := newStoredPractice(t).migrated()
	rules := filepath.Join(p.dir, "rules")
	p.does(0, "No account acts by it: nectar accounts set NAME --rules store:faq lets one\n", "publish", rules, "faq")
	p.tells(hunter2, 0, `added`, "accounts", "add", "shop", "--email", "shop@social.example", "--rules", "store:faq", "--password-stdin")
	p.write("10-faq.yaml", strings.Replace(faq, "nine", "ten", 1))
	if got := p.does(0, "faq 2 is in force", "publish", rules, "faq"); strings.Contains(got.stdout, "No account") {
		t.Errorf("shop acts by it:\n%s", got.stdout)
	}
	p.does(0, "\"accounts\": [\n    \"shop\"\n  ]", "publish", rules, "faq", "--dry-run", "--json")
}
