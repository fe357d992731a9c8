//go:build unix

package cmd

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// An account that is written into the file comes with a SIGHUP, with its own rules; one that is taken out goes, and the others go
// on. When it comes back, it hears what was said meanwhile, and what was to happen happens.
func TestAccountsComeAndGoBySignal(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, store := range map[string]func(c *branches){
		"a file": func(*branches) {},
		"a server": func(c *branches) {
			s := newSchema(c.T)
			c.env = append(c.env, "NECTAR_STORE="+s.URL(""), "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))
			c.write(".env", strings.Join(c.env, "\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			c := newBranches(t)
			store(c)
			c.comesAndGoes()
		})
	}
}

func (c *branches) comesAndGoes() {
	c.accounts(shopLine)
	c.run()
	c.works()
	c.asks("shop", "ana", commonHours)
	c.hup("no account came, went or changed")
	c.accounts(shopLine, cafeLine, barLine)
	c.hup("2 accounts came")
	c.works()
	c.asks("cafe", "ana", cafeHours)
	c.asks("bar", "ana", commonHours)
	leo := script.Actor("leo")
	c.play("cafe", leo.Says("a table please"), leo.Expects("For how many?"))
	c.accounts(barLine, shopLine)
	c.hup("1 account went")
	mia := script.Actor("mia")
	c.play("cafe", mia.Says("are you open?"))
	c.asks("shop", "leo", commonHours)
	c.asks("bar", "leo", commonHours)
	if n := c.heard("cafe", "mia"); n != 0 {
		c.Errorf("an account that has gone answered %d times", n)
	}
	c.accounts(cafeLine, shopLine, barLine)
	c.hup("1 account came")
	c.answered("cafe", "mia", 1)
	c.answered("cafe", "leo", 2)
	c.end()
}

// heard counts what somebody has heard from an account.
func (c *branches) heard(account event.Account, name string) (n int) {
	for _, e := range c.platform.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.From == c.ids[account] && c.platform.Username(e.To) == name {
			n++
		}
	}
	return n
}

// answered waits until somebody has heard so often from an account.
func (c *branches) answered(account event.Account, name string, times int) {
	c.Helper()
	for {
		seen := c.platform.Ledger().Len()
		if c.heard(account, name) >= times {
			return
		}
		ctx, cancel := context.WithTimeout(c.Context(), patience)
		err := c.platform.Ledger().Wait(ctx, seen)
		if cancel(); err != nil {
			c.Fatalf("%s has not heard %d times from %s: %v\n%s", name, times, account, err, c.bot)
		}
	}
}

// An account that has another password goes on with it; the others are not signed in anew.
func TestAPasswordChangesBySignal(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	c := newBranches(t)
	c.accounts(shopLine, cafeLine)
	c.run()
	c.works()
	c.asks("cafe", "ana", cafeHours)
	c.asks("shop", "ana", commonHours)
	c.platform.SetPassword(c.ids["cafe"], hunter4)
	c.platform.Revoke(c.ids["cafe"])
	c.bot.Await(t, "no new session")
	mia := script.Actor("mia")
	c.play("cafe", mia.Says("are you open?"))
	c.write(".env", strings.Replace(strings.Join(c.env, "\n"), "CAFE="+hunter2, "CAFE="+hunter4, 1))
	before := c.platform.Logins()
	c.hup("1 account changed")
	c.answered("cafe", "mia", 1)
	c.asks("shop", "leo", commonHours)
	if n := c.platform.Logins() - before; n != 1 {
		t.Errorf("%d sign-ins, want that of the account", n)
	}
	c.end()
}

// The only account of .env changes like any other one, and other settings say that they count later.
func TestSettingsOfDotEnvBySignal(t *testing.T) {
	t.Parallel()
	c := newBranches(t)
	main := strings.Replace(strings.Join(c.env, "\n"), "NECTAR_ACCOUNTS=accounts.yaml", "NECTAR_EMAIL=shop@social.example\nNECTAR_PASSWORD="+hunter2, 1)
	c.write(".env", main)
	c.run()
	c.works()
	c.asks("shop", "ana", commonHours)
	other := main + "\nNECTAR_RULES=cafe\nNECTAR_CEILING=20/1h\nNECTAR_SECRET_KEY=" + strings.Repeat("0f", 32) + "\n"
	c.write(".env", other)
	c.hup("1 account changed")
	c.bot.Await(t, "NECTAR_SECRET_KEY and NECTAR_CEILING have changed: they count from the next start")
	c.asks("shop", "ana", cafeHours)
	c.write(".env", other+"NECTAR_LOG_LEVEL=warn\n")
	c.signal(syscall.SIGHUP)
	awaitTimes(t, &c.bot.Output, "NECTAR_SECRET_KEY and NECTAR_CEILING", 2)
	c.asks("shop", "ana", cafeHours)
	c.write(".env", main+"\nNECTAR_STATE=paused\nNECTAR_CEILING=20/1h\n")
	c.hup("1 account went")
	c.bot.Await(t, "NECTAR_CEILING has changed: it counts from the next start")
	c.bot.Await(t, "all accounts are paused in the settings")
	c.end()
}

// What is wrong with settings is told, a line each, and nothing changes.
func TestWrongSettingsBySignal(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	c := newBranches(t)
	c.write("cafe/50-menu.yaml", campaignOf("cafe"))
	c.accounts(shopLine, cafeLine)
	c.run()
	c.works()
	c.asks("cafe", "ana", cafeHours)
	for _, wrong := range []struct {
		accounts []string
		says     []string
	}{
		{[]string{shopLine, "  bar: { email: bar, password: hunter2, pace: fast }\n"}, []string{"accounts.yaml:3: bar: email:", "accounts.yaml:3: bar: pace:"}},
		{[]string{shopLine, "  bar: { email: bar@social.example, password: hunter2, rules: nowhere }\n"}, []string{"there is no file or folder " + filepath.Join(c.dir, "nowhere")}},
		{[]string{shopLine, cafeLine, "  bar: { email: bar@social.example, password: hunter2, rules: cafe }\n", strings.Replace(cafeLine, "cafe:", "other:", 1)}, []string{"signs in as the same person"}},
		{[]string{shopLine, strings.Replace(barLine, "hunter2", "hunter2, rules: cafe", 1)}, []string{"50-menu.yaml:"}},
		{[]string{"{"}, []string{"accounts.yaml"}},
		{[]string{""}, []string{"accounts.yaml:1: has something else here"}},
	} {
		c.accounts(wrong.accounts...)
		before := strings.Count(c.bot.String(), "nothing is taken over")
		c.signal(syscall.SIGHUP)
		awaitTimes(t, &c.bot.Output, "nothing is taken over", before+len(wrong.says))
		for _, says := range wrong.says {
			if !strings.Contains(c.bot.String(), says) {
				t.Errorf("it does not say %q:\n%s", says, c.bot)
			}
		}
		c.asks("shop", "ana", commonHours)
		c.asks("cafe", "ana", cafeHours)
	}
	if strings.Contains(c.bot.String(), "settings were read again: ") {
		t.Errorf("something was taken over:\n%s", c.bot)
	}
	c.end()
}

// campaignOf is a campaign for an account.
func campaignOf(account string) string {
	return `version: 1
status: ask
campaigns:
  - id: spring-menu
    do: publish
    account: ` + account + `
    timezone: UTC
    starts: 2099-03-08
    ends: 2099-03-20
    texts: ["Our spring menu is here"]
    slots: [Tue 09:30]
`
}

// SIGHUPs in a burst, while another one is followed, and while the bot stops: the last settings count, nothing is lost or said
// twice, and the process ends as it is to.
func TestManySignals(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	c := newBranches(t)
	c.accounts(shopLine, cafeLine)
	c.run()
	c.works()
	c.asks("cafe", "ana", cafeHours)
	for range 10 {
		c.signal(syscall.SIGHUP)
	}
	c.accounts(shopLine, cafeLine, barLine)
	c.signal(syscall.SIGHUP)
	c.bot.Await(t, "1 account came")
	c.works()
	c.asks("bar", "ana", commonHours)

	held, open := c.barrier.close()
	defer open()
	leo := script.Actor("leo")
	c.play("cafe", leo.Says("are you open?"))
	<-held
	c.accounts(shopLine, barLine)
	c.signal(syscall.SIGHUP) // it waits for the answer that is on its way
	c.accounts(shopLine, barLine, cafeLine)
	c.signal(syscall.SIGHUP)
	c.accounts(shopLine, cafeLine)
	c.signal(syscall.SIGHUP)
	open()
	c.bot.Await(t, "went=[bar]")
	c.answered("cafe", "leo", 1)
	c.asks("cafe", "mia", cafeHours)

	held, open = c.barrier.close()
	defer open()
	c.play("shop", leo.Says("are you open?"))
	<-held
	c.accounts(cafeLine)
	c.signal(syscall.SIGHUP)
	c.signal(syscall.SIGTERM)
	c.signal(syscall.SIGHUP)
	open()
	if status := c.bot.End(); status != 0 {
		t.Errorf("status %d:\n%s", status, c.bot)
	}
	c.accounts(shopLine)
	c.run()
	c.answered("shop", "leo", 1)
	c.asks("shop", "mia", commonHours)
	c.end()
}

// An account that is paused in the file is not polled, at the start and later; where all are, the bot waits.
func TestPausedInTheFile(t *testing.T) {
	t.Parallel()
	c := newBranches(t)
	paused := func(account string) string { return strings.Replace(account, " }", ", state: paused }", 1) }
	c.accounts(paused(shopLine), paused(cafeLine))
	c.run()
	c.bot.Await(t, "all accounts are paused in the settings")
	ana := script.Actor("ana")
	c.play("cafe", ana.Says("hello"))
	if n := c.platform.Logins(); n != 0 {
		t.Errorf("accounts that are paused signed in %d times", n)
	}
	c.accounts(shopLine, paused(cafeLine))
	c.hup("1 account came")
	c.works()
	c.asks("shop", "ana", commonHours)
	c.accounts(shopLine, cafeLine)
	c.hup("1 account came")
	c.works()
	c.asks("cafe", "ana", cafeHours)
	c.accounts(shopLine, paused(cafeLine))
	c.hup("1 account went")
	mia := script.Actor("mia")
	c.play("cafe", mia.Says("are you open?"))
	c.asks("shop", "mia", commonHours)
	got := nectarIn(t, append(c.env, "NECTAR_ACCOUNTS="+filepath.Join(c.dir, "accounts.yaml"), "NECTAR_STORE=sqlite:"+filepath.Join(c.dir, "nectar.db")), "accounts")
	if !strings.Contains(got.stdout, "cafe     paused") || !strings.Contains(got.stdout, "state: paused") || !strings.Contains(got.stdout, "shop     working") {
		t.Errorf("nectar accounts says %s%s", got.stdout, got.stderr)
	}
	got = nectarIn(t, append(c.env, "NECTAR_ACCOUNTS="+filepath.Join(c.dir, "accounts.yaml"), "NECTAR_STORE=sqlite:"+filepath.Join(c.dir, "nectar.db"), "NECTAR_RULES="+filepath.Join(c.dir, "rules")), "doctor")
	if !strings.Contains(got.stdout, "paused in the settings: it is not polled, and was not looked at") {
		t.Errorf("nectar doctor says %s%s", got.stdout, got.stderr)
	}
	if n := c.heard("cafe", "mia"); n != 0 {
		t.Errorf("an account that is paused answered %d times", n)
	}
	c.accounts(shopLine, cafeLine)
	c.hup("1 account came")
	c.answered("cafe", "mia", 1)
	c.end()
}
