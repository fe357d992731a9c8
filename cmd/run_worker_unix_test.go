//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// worker starts a worker of its own name, whose settings are those of the branches.
func (c *branches) worker(name string) *child.Process {
	c.Helper()
	c.write(name+".env", strings.Join(append(c.env, "NECTAR_WORKER="+name), "\n"))
	return start(c.T, c.dir, "run", "--env-file", name+".env")
}

// TestMovedToWorkers: a bot on a file is moved to a server, and is run there by workers that come and go, one after another, one of them
// without a word, while people write all the time. Everybody has one answer to each question.
func TestMovedToWorkers(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	c := newBranches(t)
	c.accounts(shopLine, cafeLine, barLine)
	c.run()
	c.works()
	c.asks("shop", "ana", commonHours)
	c.asks("cafe", "leo", cafeHours)
	c.bot.Stop()
	c.play("bar", script.Actor("mia").Says("are you open?"))

	s := newSchema(t)
	c.env = append(c.env, "NECTAR_STORE="+s.URL(""), "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))
	c.write(".env", strings.Join(c.env, "\n"))
	move := start(t, c.dir, "move", "sqlite:nectar.db")
	if status := move.End(); status != 0 {
		t.Fatalf("status %d:\n%s", status, move)
	}

	ownersOnly(t, s)
	a := c.worker("a")
	a.Await(t, "the bot is at work")
	stop := c.crowd()
	b := c.worker("b")
	b.Await(t, "shards taken")
	d := c.worker("d")
	d.Await(t, "shards taken")
	for _, leaving := range []*child.Process{a, b} { // a rolling restart
		leaving.Stop()
	}
	e := c.worker("e")
	e.Await(t, "shards taken")
	d.Kill()
	e.Await(t, "a worker does not move any more")
	asked := stop()
	for _, p := range []*child.Process{a, b, d, e} {
		if strings.Contains(p.String(), "which is not its own") {
			t.Errorf("it writes to a shard of another one:\n%s", p)
		}
	}
	c.bot = e
	for began := time.Now(); c.answers() < asked; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("%d answers to %d questions:\n%s", c.answers(), asked, e)
		}
	}
	c.end()
}

// ownersOnly lets the database refuse what a worker writes to shards of others.
func ownersOnly(t *testing.T, s schema) {
	t.Helper()
	if err := s.Exec(t.Context(), pgserver.OwnersOnly); err != nil {
		t.Fatal(err)
	}
}

// crowd lets people ask each account, again and again, until stop is called, which returns how often anybody has asked at all.
func (c *branches) crowd() (stop func() (asked int)) {
	end := make(chan struct{})
	var all sync.WaitGroup
	for _, account := range []event.Account{"shop", "cafe", "bar"} {
		all.Go(func() {
			tick := time.NewTicker(150 * time.Millisecond)
			defer tick.Stop()
			for n := 0; ; n++ {
				who := script.Actor(fmt.Sprint("guest", n%20, account))
				c.play(account, who.Says("are you open?"))
				select {
				case <-end:
					return
				case <-tick.C:
				}
			}
		})
	}
	return func() (asked int) {
		close(end)
		all.Wait()
		for _, e := range c.platform.Ledger().Since(0) {
			if e.Kind == emulator.Said && e.Text == "are you open?" {
				asked++
			}
		}
		return asked
	}
}

// answers returns how many answers people have.
func (c *branches) answers() (n int) {
	for _, e := range c.platform.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && strings.HasPrefix(e.Text, "We are open") {
			n++
		}
	}
	return n
}

// TestWorkersAndSettings: settings reach workers one after another, and no account is alone in between: one that is new is served by the
// worker that knows it, wherever its shard was, and one that is taken out of all of them goes.
func TestWorkersAndSettings(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	c := newBranches(t)
	s := newSchema(t)
	c.env = append(c.env, "NECTAR_STORE="+s.URL(""), "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))
	c.accounts(shopLine, cafeLine)
	a := c.worker("a")
	a.Await(t, "the bot is at work")
	b := c.worker("b")
	b.Await(t, "shards taken")
	c.asks("shop", "ana", commonHours)
	c.asks("cafe", "ana", cafeHours)

	c.accounts(shopLine, cafeLine, barLine)
	hup := func(p *child.Process) {
		t.Helper()
		before := strings.Count(p.String(), "ettings were read again")
		p.Signal(syscall.SIGHUP)
		awaitTimes(t, &p.Output, "ettings were read again", before+1)
	}
	atWork := func() int { return strings.Count(a.String()+b.String(), "accounts=[bar]") }
	hup(b) // a does not know bar yet
	for began := time.Now(); atWork() == 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("nobody serves bar:\n%s\n%s", a, b)
		}
	}
	c.asks("bar", "ana", commonHours)
	hup(a)
	c.asks("bar", "leo", commonHours)

	c.accounts(shopLine, barLine)
	hup(a)
	hup(b)
	polls := c.platform.Calls("get_chats")
	c.asks("shop", "leo", commonHours)
	c.asks("bar", "mia", commonHours)
	if polls == c.platform.Calls("get_chats") {
		t.Error("nobody polls")
	}
	for _, p := range []*child.Process{a, b} {
		c.bot = p
		if p == b {
			c.end()
		} else {
			p.Stop()
		}
	}
}

// TestWorkersAreListed: who is there, and what each has, is told; one that is drained gives everything away, and gets it back.
func TestWorkersAreListed(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	c := newBranches(t)
	s := newSchema(t)
	c.env = append(c.env, "NECTAR_STORE="+s.URL(""), "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))
	c.env = append(c.env, "NECTAR_HOST_RATE=200/s")
	c.accounts(shopLine, cafeLine)
	list := func(want string, args ...string) {
		t.Helper()
		got := nectarIn(t, c.env, append([]string{"workers"}, args...)...)
		if text := got.stdout + got.stderr; !strings.Contains(text, want) {
			t.Errorf("workers %v: it was to say %q:\n%s", args, want, text)
		}
	}
	const half = event.Shards / 2
	// have waits until workers have so many shards, or about half of them.
	have := func(want map[string]int) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			got := map[string]int{}
			for line := range strings.Lines(nectarIn(t, c.env, "workers", "--json").stdout) {
				var w admin.Worker
				if err := json.Unmarshal([]byte(line), &w); err != nil {
					t.Fatalf("%v in %s", err, line)
				}
				if got[w.Worker] = w.Shards; w.Shards > event.Shards/4 && w.Shards < event.Shards*3/4 && w.Comes+w.Goes == 0 {
					got[w.Worker] = half
				}
			}
			diff := cmp.Diff(want, got)
			if diff == "" {
				return
			}
			if time.Since(began) > patience {
				t.Fatalf("workers have other shards:\n%s", diff)
			}
		}
	}
	list("there is none yet: start the bot once")
	a := c.worker("a")
	a.Await(t, "the bot is at work")
	have(map[string]int{"a": event.Shards})
	b := c.worker("b")
	have(map[string]int{"a": half, "b": half})
	list("/s of 200/s")
	list(`"rate_per_second":200`, "--json")
	list("no worker \"x\" runs on", "drain", "x")
	list("name one worker", "drain")
	list("no worker has found that", "accept-loss")
	list("a gives its accounts away", "drain", "a", "--as", "ines", "--why", "a new disk")
	have(map[string]int{"a": 0, "b": event.Shards})
	list("drained by ines 20")
	list("(a new disk)")
	list(`"draining":true,"drain":{"by":"ines","at":"20`, "--json")
	c.write("lost.env", strings.Join(append(c.env, "NECTAR_WORKER=lost", "NECTAR_SECRET_KEY="+strings.Repeat("0a", 32)), "\n"))
	for args, want := range map[string]string{
		"run --env-file lost.env":                 "NECTAR_SECRET_KEY",
		"run --env-file lost.env --forget-sealed": "another process runs on this database",
	} {
		if p := start(t, c.dir, strings.Fields(args)...); p.End() != 1 || !strings.Contains(p.String(), want) {
			t.Errorf("%s: it was to say %q:\n%s", args, want, p)
		}
	}
	c.asks("shop", "ana", commonHours)
	list("a may have accounts again", "drain", "a", "--undo", "--as", "leo")
	list(`"draining":false,"drain":{"by":"leo","at":"20`, "--json")
	have(map[string]int{"a": half, "b": half})
	c.asks("cafe", "ana", cafeHours)
	a.Stop()
	have(map[string]int{"b": event.Shards})
	list("gone", "--all")
	c.bot = b
	c.end()
	list("no worker runs on this database")
	c.env = append(c.env, "NECTAR_STORE=sqlite:nectar.db")
	list("one process runs on it")
}
