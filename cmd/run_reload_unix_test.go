//go:build unix

package cmd

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// branches is a platform with the accounts shop, cafe and bar, and a bot whose accounts file changes while it runs.
type branches struct {
	*testing.T
	platform *emulator.Platform
	barrier  barrier
	ids      map[event.Account]platform.UserID
	dir      string
	env      []string
	bot      *child.Process
	reloads  int // how often the settings were read again
	arrived  int // how often accounts were at work
}

// hunter4 is the password that an account is given later.
const hunter4 = "hunter4"

func newBranches(t *testing.T) *branches {
	t.Helper()
	c := &branches{T: t, platform: emulator.New(emulator.Config{}), ids: map[event.Account]platform.UserID{}, dir: t.TempDir()}
	for _, name := range []event.Account{"shop", "cafe", "bar"} {
		c.ids[name] = c.platform.AddAccount(emulator.Person{Username: string(name)}, string(name)+"@social.example", hunter2)
	}
	c.barrier.next = c.platform
	server := httptest.NewServer(&c.barrier)
	t.Cleanup(server.Close)
	c.env = append([]string{"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_ACCOUNTS=accounts.yaml", "CAFE=" + hunter2}, quick...)
	c.write(".env", strings.Join(c.env, "\n"))
	putRules(t, c.dir, "10-faq.yaml", faq)
	c.write("cafe/10-faq.yaml", strings.Replace(faq, "nine to six", "ten to four", 1)+tableTalk)
	return c
}

// tableTalk is a conversation that ends by itself.
const tableTalk = `
conversations:
  - id: table
    start: { when: message, if: { text: { any_word: [table] } } }
    steps:
      - { id: how-many, ask: "For how many?", expect: text, save_as: many, next: done }
      - { id: done, say: "A waiter calls you.", end: completed }
    if_silent: [{ after: 2s, goto: done }]
    limits: { per_person: 9 per 1h }
`

// barrier holds messages back that are sent while it is shut.
type barrier struct {
	next http.Handler
	mu   sync.Mutex
	shut chan struct{} // nil: it is open
	held chan struct{} // has one for each that waits
}

func (g *barrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	shut, held := g.shut, g.held
	g.mu.Unlock()
	if shut != nil && strings.HasSuffix(r.URL.Path, "/send_message") {
		held <- struct{}{}
		<-shut
	}
	g.next.ServeHTTP(w, r)
}

// close holds messages back from now on, until open is called. held has one for each that waits.
func (g *barrier) close() (held <-chan struct{}, open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut, g.held = make(chan struct{}), make(chan struct{}, 100)
	return g.held, sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		close(g.shut)
		g.shut = nil
	})
}

func (c *branches) write(name, content string) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path+"~", []byte(content), 0o600); err != nil {
		c.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil { // nobody reads half of it
		c.Fatal(err)
	}
}

// The accounts as they stand in the file.
const (
	shopLine = "  shop: { email: shop@social.example, password: hunter2 }\n"
	cafeLine = "  cafe: { email: cafe@social.example, password: '${CAFE}', rules: cafe }\n"
	barLine  = "  bar: { email: bar@social.example, password: hunter2 }\n"
)

// accounts writes the accounts file.
func (c *branches) accounts(all ...string) {
	c.Helper()
	c.write("accounts.yaml", "accounts:\n"+strings.Join(all, ""))
}

// run starts the bot.
func (c *branches) run() {
	c.Helper()
	c.bot, c.reloads, c.arrived = start(c.T, c.dir, "run"), 0, 0
	c.Cleanup(func() {
		for _, secret := range []string{hunter2, hunter4} {
			if strings.Contains(c.bot.String(), secret) {
				c.Errorf("a password is printed:\n%s", c.bot)
			}
		}
	})
}

// works waits until accounts that come are at work: what is said before the first poll of all is not answered.
func (c *branches) works() {
	c.Helper()
	c.arrived++
	awaitTimes(c.T, &c.bot.Output, "the bot is at work", c.arrived)
}

// hup sends a SIGHUP, and waits until it has been followed, or refused.
func (c *branches) hup(want string) {
	c.Helper()
	c.signal(syscall.SIGHUP)
	c.reloads++
	awaitTimes(c.T, &c.bot.Output, "ettings were read again", c.reloads)
	if last := c.bot.String(); !strings.Contains(last[strings.LastIndex(last, "ettings were read again"):], want) {
		c.Errorf("after the SIGHUP number %d, it was to say %q:\n%s", c.reloads, want, last)
	}
}

func (c *branches) signal(s os.Signal) {
	c.Helper()
	c.bot.Signal(s)
}

// play lets somebody talk to an account.
func (c *branches) play(account event.Account, steps ...script.Step) {
	c.Helper()
	if err := script.Play(c.Context(), c.platform, script.Script{Account: c.ids[account], Steps: steps}); err != nil {
		c.Fatalf("%v\n%s", err, c.bot)
	}
}

// asks lets somebody ask an account when it is open, and expects its answer, once.
func (c *branches) asks(account event.Account, name, want string) {
	c.Helper()
	who := script.Actor(name)
	c.play(account, who.Says("are you open?"), who.Expects(want))
}

// end ends the bot, and checks that everybody who asked has one answer.
func (c *branches) end() {
	c.Helper()
	c.bot.Stop()
	asked, answered := map[string]int{}, map[string]int{}
	for _, e := range c.platform.Ledger().Since(0) {
		switch {
		case e.Kind == emulator.Said && e.Text == "are you open?":
			asked[fmt.Sprint(e.From, " of ", e.To)]++
		case e.Kind == emulator.Arrived && strings.HasPrefix(e.Text, "We are open"):
			answered[fmt.Sprint(e.To, " of ", e.From)]++
		}
	}
	if diff := cmp.Diff(asked, answered); diff != "" {
		c.Errorf("what was asked differs from what was answered (-asked +answered):\n%s%s", diff, c.bot)
	}
}

const (
	commonHours = "nine to six"
	cafeHours   = "ten to four"
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
