package bottest

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// World is the platform with its people, and a bot at work on it. Its methods end the test when
// something cannot be done.
type World struct {
	t        tester
	cfg      Config
	platform *emulator.Platform
	accounts []*Account
	gone     []*Account // that were removed
	dir      string
	book     *book

	incarnation  *incarnation      // nil while the bot is stopped
	inspector    inspect.Inspector // of Inspect, while it is open
	incarnations int               // databases so far: a crash leaves one behind
	left         sync.WaitGroup
	services     []*emulator.Server // of HTTP
	disturbed    bool               // faults may have left something open
}

// tester is what a World needs of a testing.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Context() context.Context
	TempDir() string
}

// Run runs a test in a world of its own. The bot is running and has polled once when test begins.
func Run(t *testing.T, cfg Config, test func(w *World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		w := newWorld(t, cfg.withDefaults())
		t.Cleanup(w.endTest)
		w.begin()
		test(w)
	})
}

func (w *World) begin() {
	w.t.Helper()
	if w.cfg.Before != nil {
		w.cfg.Before(w)
	}
	w.Start()
}

func newWorld(t tester, cfg Config) *World {
	t.Helper()
	time.Sleep(time.Until(cfg.Start))
	w := &World{
		t: t, cfg: cfg, platform: emulator.New(cfg.Platform), dir: t.TempDir(), book: newBook(),
		disturbed: cfg.Platform.Faults != emulator.Faults{},
	}
	for _, name := range cfg.Accounts {
		w.accounts = append(w.accounts, w.newAccount(name))
	}
	return w
}

// endTest stops the bot at the end of the test, and checks what it leaves behind.
func (w *World) endTest() {
	w.t.Helper()
	if w.incarnation != nil {
		w.halt()
	}
	w.closeInspector()
	w.closeServices()
	w.left.Wait()
}

// Start starts the bot and returns after its first poll.
func (w *World) Start() {
	w.t.Helper()
	if w.incarnation != nil {
		w.fail("the bot is running already")
	}
	w.closeInspector()
	l, err := w.newIncarnation(context.WithoutCancel(w.t.Context()), filepath.Join(w.dir, w.databaseName()))
	if err != nil {
		w.fail("the bot cannot start: %v", err)
	}
	w.incarnation = l
	patience := time.NewTimer(w.cfg.Patience)
	defer patience.Stop()
	select {
	case <-l.polled:
	case <-l.ended:
		w.fail("the bot cannot start: %v", l.err)
	case <-patience.C:
		w.fail("no poll has succeeded within %v", w.cfg.Patience)
	}
}

// Stop stops the bot; it drains. Life on the platform goes on.
func (w *World) Stop() {
	w.t.Helper()
	if w.incarnation == nil {
		w.fail("the bot has been stopped already")
	}
	w.halt()
}

// Restart stops the bot and starts it again.
func (w *World) Restart() {
	w.t.Helper()
	w.Stop()
	w.Start()
}

// Deploy stops the bot, changes its configuration, and starts it again, as a new version of the
// program would. Accounts, Platform and what belongs to the time before the start cannot change.
func (w *World) Deploy(change func(c *Config)) {
	w.t.Helper()
	w.Stop()
	accounts := w.cfg.Accounts
	change(&w.cfg)
	w.cfg.Accounts = accounts
	w.Start()
}

// Crash ends the bot the way kill -9 does, at this moment of the test's clock, and starts it again on
// what its database held then. What it was doing is lost, its connections are cut.
//
// A handler of the old incarnation that is still running cannot be killed: it goes on until it returns, and
// reaches neither the platform nor the new incarnation.
func (w *World) Crash() {
	w.t.Helper()
	w.CrashStop()
	w.Start()
}

// CrashStop is Crash without the new start.
func (w *World) CrashStop() {
	w.t.Helper()
	if w.incarnation == nil {
		w.fail("the bot has been stopped already")
	}
	w.closeInspector()
	synctest.Wait() // nothing is written while all wait
	from := w.databaseName()
	w.incarnations++
	if err := copyDatabase(w.dir, w.databaseName(), from); err != nil {
		w.fail("%v", err)
	}
	w.incarnation.kill(&w.left)
	w.incarnation = nil
}

// Advance lets time pass. What came due meanwhile has been done when it returns.
func (w *World) Advance(d time.Duration) {
	w.t.Helper()
	time.Sleep(d)
	synctest.Wait()
}

// Faults disturbs the calls from now on; the zero value ends that.
func (w *World) Faults(f emulator.Faults) {
	w.disturbed = true
	w.platform.SetFaults(f)
}

// Disturb lets faults befall the next calls of an endpoint, such as "send_message", one each.
func (w *World) Disturb(endpoint string, faults ...emulator.Fault) {
	w.disturbed = true
	w.platform.Disturb(endpoint, faults...)
}

// Platform returns the platform itself, for what the World has no word for.
func (w *World) Platform() *emulator.Platform { return w.platform }

// Bot returns the bot, nil while it is stopped. A restart makes another one.
func (w *World) Bot() *bot.Bot {
	if w.incarnation == nil {
		return nil
	}
	return w.incarnation.bot
}

// Person returns somebody by user name who deals with the first account, new on the platform if need
// be.
func (w *World) Person(name string) *Person { return w.accounts[0].Person(name) }

// AddPerson adds somebody who is not as everybody: with a private profile, say.
func (w *World) AddPerson(who emulator.Person) *Person {
	w.t.Helper()
	if w.platform.UserID(who.Username) != 0 {
		w.fail("there is a person %q already", who.Username)
	}
	w.platform.AddPerson(who)
	return w.Person(who.Username)
}

// Account returns one of the accounts by name.
func (w *World) Account(name event.Account) *Account {
	w.t.Helper()
	for _, a := range w.accounts {
		if a.name == name {
			return a
		}
	}
	w.fail("there is no account %q: name it in Config.Accounts", name)
	return nil
}

// Posts lets the owner of the first account write a post.
func (w *World) Posts(text string) platform.PostID {
	w.t.Helper()
	return w.accounts[0].Posts(text)
}

// Transcript returns what happened between the first account and people, without times.
func (w *World) Transcript() string { return w.accounts[0].Transcript() }

// Conversation returns what the store remembers of the conversation with a person: labels, owner,
// flow state, values.
func (w *World) Conversation(p *Person) conversation.State {
	w.t.Helper()
	if w.incarnation == nil {
		w.fail("the bot is stopped: its conversations cannot be read")
	}
	synctest.Wait() // for what is being stored
	state, err := w.incarnation.store.Conversation(w.t.Context(), p.key())
	if err != nil {
		w.fail("%v", err)
	}
	return state
}

// Decisions returns what the bot decided about what a person did, in the order of the decisions.
func (w *World) Decisions(p *Person) []Decision {
	synctest.Wait() // for what is being stored
	return w.book.decisionsOf(p.key())
}

// Log returns what the bot has logged so far, in all its incarnations.
func (w *World) Log() string { return w.book.loggedText() }

// databaseName returns the name of the present incarnation's database.
func (w *World) databaseName() string { return fmt.Sprintf("incarnation-%d.db", w.incarnations) }

// halt stops the bot and checks that it drained.
func (w *World) halt() {
	w.t.Helper()
	l := w.incarnation
	w.incarnation = nil
	w.closeInspector()
	l.stop()
	<-l.ended
	open := w.undrained(l)
	if err := l.stopBot(); err != nil {
		w.t.Errorf("stop the bot: %v", err)
	}
	for _, a := range open {
		w.t.Errorf("the bot stopped without ending what it was doing: %s of %s is %s", a.Verb, a.Key, a.State)
	}
}

// undrained returns the actions that an incarnation began and did not end.
func (w *World) undrained(l *incarnation) []event.Action {
	w.t.Helper()
	if w.disturbed {
		return nil // a request may be on its way for longer than a stop waits
	}
	var out []event.Action
	for _, a := range w.accounts {
		open, err := l.store.Open(context.WithoutCancel(w.t.Context()), a.name)
		if err != nil {
			w.t.Errorf("look for what the bot left behind: %v", err)
		}
		for _, x := range open {
			if !x.LeftAt.Before(l.began) {
				out = append(out, x)
			}
		}
	}
	return out
}
