//go:build unix

package cmd

import (
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
