package bot_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lease/leasetest"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// gang are workers that share a database, and die of what handlers do. Who has died comes back.
type gang struct {
	t        *testing.T
	platform *emulator.Platform
	pipe     *emulator.Server
	board    *lease.Memory
	path     string
	latency  atomic.Int64 // of each request to the platform
	accounts []bot.Account
	ids      []platform.UserID
	log      *gangLog
	running  sync.WaitGroup
	over     context.Context //nolint:containedctx // ends all of it
	workers  [3]atomic.Pointer[gangster]
	deaths   atomic.Int32
	told     atomic.Int32 // of deaths, to who has taken over
	hangs    atomic.Bool  // what would end a process waits instead
	kept     atomic.Int32 // writes about suspects
}

// gangLog is what is logged.
type gangLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *gangLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *gangLog) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), s)
}

// gangster is one life of a worker.
type gangster struct {
	*gang
	next   http.RoundTripper
	worker *lease.Worker
	dead   atomic.Bool
	crash  context.CancelFunc
	holder *bot.Holder
	ended  chan struct{}
}

// newGang lets workers begin that serve accounts.
func newGang(t *testing.T, accounts int) *gang {
	t.Helper()
	g := &gang{t: t, platform: emulator.New(emulator.Config{}), board: lease.NewMemory(nil), path: filepath.Join(t.TempDir(), "nectar.db"), log: &gangLog{}}
	g.pipe = emulator.NewPipe(g.platform)
	for i := range accounts {
		c := session.Credentials{Email: fmt.Sprintf("shop%d@b.example", i), Password: "secret"}
		g.ids = append(g.ids, g.platform.AddAccount(emulator.Person{Username: fmt.Sprint("shop", i)}, c.Email, c.Password))
		g.accounts = append(g.accounts, bot.Account{Name: event.Account(fmt.Sprint("shop", i)), BaseURL: g.pipe.BaseURL(), Credentials: c})
	}
	st, err := store.Open(context.WithoutCancel(t.Context()), store.Options{Path: g.path, Fast: true}) // in its newest form
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(context.WithoutCancel(t.Context()))
	g.over = over
	t.Cleanup(func() {
		end()
		g.running.Wait()
		_ = g.pipe.Close()
	})
	for i := range g.workers {
		g.running.Go(func() {
			for over.Err() == nil {
				g.live(over, i)
			}
		})
	}
	time.Sleep(10 * time.Second)
	return g
}

// RoundTrip lets nothing leave of who is dead.
func (w *gangster) RoundTrip(r *http.Request) (*http.Response, error) {
	if wait := time.Duration(w.latency.Load()); wait > 0 { // a timer that is due already is the runtime's own trouble under the race detector
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if w.dead.Load() {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return w.next.RoundTrip(r)
}

// die ends a worker's process.
func (w *gangster) die() {
	if !w.dead.Swap(true) {
		w.deaths.Add(1)
		w.crash()
	}
}

// kill is called by a handler that ends the process.
func (w *gangster) kill(ctx context.Context) error {
	if !w.hangs.Load() {
		w.die()
	}
	<-ctx.Done()
	return ctx.Err()
}

// live is one life of worker i.
func (g *gang) live(over context.Context, i int) {
	ctx, cancel := context.WithCancel(over)
	defer cancel()
	w := &gangster{gang: g, next: g.pipe.Transport(), ended: make(chan struct{})}
	defer close(w.ended)
	w.holder = bot.NewHolder(func(_ context.Context, shard int) (all []bot.Account, _ error) {
		for _, a := range g.accounts {
			if a.Name.Shard() == shard {
				all = append(all, a)
			}
		}
		return all, nil
	})
	log := slog.New(slog.NewTextHandler(g.log, nil)).With("worker", i)
	var err error
	w.worker, err = lease.StartWorker(ctx, lease.Config{
		Card: lease.Card{Name: fmt.Sprint("worker ", i)}, Board: g.board.Board(), Holder: w.holder, Log: log,
		Clock: leasetest.NewClock(&leasetest.Ice{}, 0, 1000, 0).Seen(), Died: func(lease.Peer) { g.told.Add(1) },
	})
	if err != nil {
		return
	}
	w.crash = cancel
	seat := w.worker.Seat()
	commit := func(do func() error) error {
		x, err := g.board.Store(seat)
		if err != nil || w.dead.Load() {
			return store.ErrFenced
		}
		return x.Commit(do)
	}
	st, err := store.Open(context.WithoutCancel(ctx), store.Options{Path: g.path, Fast: true, Around: commit, Fence: store.Fence{Worker: seat.Worker, Epoch: seat.Epoch, Stream: 1}})
	if err != nil {
		g.t.Error(err)
		return
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: w.routes()})
	if err != nil {
		g.t.Error(err)
		return
	}
	b, err := bot.New(bot.Config{
		MayBeIdle: true, Log: log, Store: counting{st, g}, Router: router, Transport: w, PollInterval: time.Second, Pace: fast(), Ceiling: bot.Ceiling{Max: -1},
	})
	if err != nil {
		g.t.Error(err)
		return
	}
	w.holder.Use(b)
	g.workers[i].Store(w)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	ran := make(chan error, 1)
	go func() { ran <- b.Run(run) }()
	_ = w.worker.Run(ctx)
	if w.dead.Load() || g.over.Err() != nil {
		w.holder.EndLost(lease.Loss{Why: lease.ErrGone})
	}
	stop()
	if err := <-ran; err != nil && !w.dead.Load() {
		g.t.Error(err)
	}
	_ = st.Close() // of one that has died nothing is to be stored
}

// counting counts what is written about suspects.
type counting struct {
	bot.Store
	gang *gang
}

func (c counting) KeepSuspect(ctx context.Context, s store.Suspect) error {
	c.gang.kept.Add(1)
	return c.Store.KeepSuspect(ctx, s)
}

func (c counting) Commit(w store.Write) {
	if w.Suspect != nil {
		c.gang.kept.Add(1)
	}
	c.Store.Commit(w)
}

// routes are those of a worker.
func (w *gangster) routes() []bot.Route {
	return []bot.Route{
		bot.On("poison", bot.AnyMessage().Where(func(m event.Message) bool { return strings.HasPrefix(m.Text, "poison") }),
			func(ctx context.Context, _ *bot.Turn, _ event.Message) error { return w.kill(ctx) }),
		on("remind me", func(_ context.Context, t *bot.Turn) error {
			t.SetTimer("reminder", t.Now.Add(30*time.Second), nil)
			return t.Reply("I will")
		}),
		bot.On("reminder", bot.Timer("reminder"), func(ctx context.Context, _ *bot.Turn, _ event.Timer) error { return w.kill(ctx) }),
		bot.On("told", bot.Asked("fall"), func(ctx context.Context, _ *bot.Turn, _ event.Told) error { return w.kill(ctx) }),
		on("slowly", func(ctx context.Context, t *bot.Turn) error {
			select {
			case <-time.After(7 * time.Second):
				return w.kill(ctx)
			case <-ctx.Done():
				return ctx.Err()
			}
		}),
		on("takes its time", func(ctx context.Context, t *bot.Turn) error {
			select {
			case <-time.After(4 * time.Second):
				return t.Reply("takes its time")
			case <-ctx.Done():
				return ctx.Err()
			}
		}),
		on("profile", func(ctx context.Context, t *bot.Turn) error {
			if _, err := t.Profile(ctx); err != nil {
				return err
			}
			return t.Reply("profile")
		}),
		on("a profile kills", func(ctx context.Context, t *bot.Turn) error {
			if _, err := t.Profile(ctx); err != nil {
				return err
			}
			return w.kill(ctx)
		}),
		echo().Ordered(1),
	}
}

// owner returns the worker that serves an account.
func (g *gang) owner(account event.Account) *gangster {
	view, err := g.board.Board().ReadView(g.over)
	if err != nil {
		g.t.Fatal(err)
	}
	for i := range g.workers {
		if w := g.workers[i].Load(); w != nil && w.worker.Seat().Worker == view.Shards[account.Shard()].Owner {
			return w
		}
	}
	return nil
}

// leave lets a worker give its accounts away, and begin anew.
func (w *gangster) leave() {
	ctx, cancel := context.WithTimeout(w.over, 30*time.Second)
	defer cancel()
	w.worker.LeaveBoard(ctx)
	<-w.ended
}

// people write to an account each, in turns.
func (g *gang) people(n int) (all []platform.UserID) {
	for i := range n {
		all = append(all, g.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest", i)}))
	}
	return all
}

func (g *gang) say(people []platform.UserID, text string) {
	for i, p := range people {
		g.platform.Say(p, g.ids[i%len(g.ids)], fmt.Sprint(text, " ", i))
	}
}

// waited returns how long somebody waited at most for the answer to what begins with hello, and checks that there were so many, each once.
func (g *gang) waited(want int) (most time.Duration) {
	g.t.Helper()
	asked, answered := map[string]time.Time{}, map[string]int{}
	for _, e := range g.platform.Ledger().Since(0) {
		switch {
		case !strings.HasPrefix(e.Text, "hello"):
		case e.Kind == emulator.Said:
			asked[e.Text] = e.At
		case e.Kind == emulator.Arrived:
			answered[e.Text]++
			most = max(most, e.At.Sub(asked[e.Text]))
		}
	}
	for text := range asked {
		if answered[text] != 1 {
			g.t.Errorf("%q was answered %d times", text, answered[text])
		}
	}
	if len(answered) != want {
		g.t.Errorf("%d of %d were answered", len(answered), want)
	}
	return most
}

// inspect looks at the store.
func (g *gang) inspect(f func(d *store.Inspector)) {
	g.t.Helper()
	d, err := store.OpenInspector(g.over, g.path, "")
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	f(d)
}

// quarantined returns what is, with the reason.
func (g *gang) quarantined() map[string]event.Reason {
	g.t.Helper()
	found := map[string]event.Reason{}
	g.inspect(func(d *store.Inspector) {
		for i := range g.accounts {
			events, err := d.Events(g.over, record.EventQuery{Account: g.accounts[i].Name, State: "quarantined", Limit: 99})
			if err != nil {
				g.t.Fatal(err)
			}
			for i := range events {
				found[events[i].Text] = events[i].Record.Why
			}
			timers, err := d.Timers(g.over, record.TimerQuery{Account: g.accounts[i].Name, State: record.TimerQuarantined, Until: time.Now(), Limit: 99})
			if err != nil {
				g.t.Fatal(err)
			}
			for i := range timers {
				found[timers[i].Name] = timers[i].Why
			}
		}
	})
	return found
}

// suspects returns what is stored of triggers that may have ended a process.
func (g *gang) suspects(account event.Account) (all []store.Suspect) {
	g.t.Helper()
	st, err := store.OpenReader(g.over, g.path, "")
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	facts, err := st.Facts(g.over, account, store.Tried)
	if err != nil {
		g.t.Fatal(err)
	}
	for i := range facts {
		all = append(all, store.SuspectOf(account, &facts[i]))
	}
	return all
}

// tries returns how often somebody died of what is suspect of an account.
func (g *gang) tries(account int) (n int) {
	for _, s := range g.suspects(g.accounts[account].Name) {
		n = max(n, s.Deaths)
	}
	return n
}

// A handler that ends the process of one worker after another is tried five times alone, and set aside: by an event that is in memory alone, a timer,
// and what somebody asks of the program. Others beside it have their answers, once, within a minute, and nothing of theirs is set aside; workers that
// come back stay.
func TestPoisonAmongWorkers(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]func(g *gang, mal platform.UserID){
		"event": func(g *gang, mal platform.UserID) { g.platform.Say(mal, g.ids[0], "poison") },
		"timer": func(g *gang, mal platform.UserID) {
			g.platform.Say(mal, g.ids[0], "remind me")
			time.Sleep(31 * time.Second)
		},
		"request": func(g *gang, _ platform.UserID) {
			g.inspect(func(d *store.Inspector) {
				if _, err := d.Ask(g.over, event.Request{Key: event.Own(g.accounts[0].Name), Wish: event.WishTell, Subject: "fall"}); err != nil {
					g.t.Fatal(err)
				}
			})
		},
		"after a profile": func(g *gang, mal platform.UserID) { g.platform.Say(mal, g.ids[0], "a profile kills") },
		"slowly":          func(g *gang, mal platform.UserID) { g.platform.Say(mal, g.ids[0], "slowly") },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			synctest.Test(t, func(t *testing.T) {
				g := newGang(t, 6)
				people, mal := g.people(30), g.platform.AddPerson(emulator.Person{Username: "mal"})
				g.say(people, "hello")
				poison(g, mal)
				rounds := 1
				for ; rounds < 8; rounds++ {
					g.say(people, fmt.Sprint("hello ", rounds))
					time.Sleep(20 * time.Second)
				}
				if n := g.deaths.Load(); n < 6 || n > 8 || g.told.Load() != n {
					t.Errorf("%d workers have died, and %d were told", n, g.told.Load())
				}
				most := g.waited(rounds * len(people))
				t.Logf("others waited for up to %v, %d died", most, g.deaths.Load())
				if most > time.Minute {
					t.Errorf("others waited for up to %v", most)
				}
				found := g.quarantined()
				if name == "request" {
					if len(found) != 0 {
						t.Errorf("quarantined: %v", found)
					}
				} else {
					for _, why := range found {
						if len(found) != 1 || why != event.Because("crash.repeated", "tries", "5") {
							t.Errorf("quarantined: %v", found)
						}
					}
					if len(found) == 0 {
						t.Error("nothing is quarantined")
					}
				}
				for i := range g.accounts {
					if all := g.suspects(g.accounts[i].Name); len(all) > 0 && (name != "timer" || len(all) > 1) {
						t.Errorf("%s still has suspects: %+v", g.accounts[i].Name, all)
					}
				}
			})
		})
	}
}

// A worker that is stopped hands over what waits, and how often it was tried: nothing is counted, and what has run alone before does so again.
func TestStopsCarryTries(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		g := newGang(t, 3)
		people, mal := g.people(9), g.platform.AddPerson(emulator.Person{Username: "mal"})
		g.platform.Say(mal, g.ids[0], "poison")
		for g.tries(0) < 2 {
			time.Sleep(time.Second)
		}
		// Whoever has it is stopped again and again, also while it runs alone.
		deaths := g.deaths.Load()
		g.hangs.Store(true)
		for i := range 8 {
			g.say(people, fmt.Sprint("hello ", i))
			time.Sleep(6 * time.Second)
			if w := g.owner(g.accounts[0].Name); w != nil {
				w.leave()
			}
		}
		if n := g.tries(0); n != 2 && n != 3 || len(g.quarantined()) > 0 || g.deaths.Load() != deaths {
			t.Errorf("after the stops %d tries are counted, %v is quarantined, and %d workers have died, %d before", n, g.quarantined(), g.deaths.Load(), deaths)
		}
		ran := g.log.count("a worker died while one handler ran alone")
		g.hangs.Store(false)
		time.Sleep(3 * time.Minute)
		if n := g.deaths.Load() - deaths; n < 2 || n > 4 {
			t.Errorf("%d more have died", n)
		}
		if found := g.quarantined(); len(found) != 1 || found["poison"] != event.Because("crash.repeated", "tries", "5") {
			t.Errorf("quarantined: %v", found)
		}
		if all := g.log.count("a worker died while one handler ran alone"); all != 5 {
			t.Errorf("%d of 5 tries were counted, %d before", all, ran)
		}
		g.waited(8 * len(people))
	})
}

// Workers that are killed from outside set nothing aside, whatever runs at that moment, also when a turn waits for the platform alone.
func TestKilledWorkersSetNothingAside(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		g := newGang(t, 3)
		g.latency.Store(int64(200 * time.Millisecond))
		people := g.people(12)
		for round := range 12 {
			for i, p := range people {
				if round%3 == 0 && i < 3 {
					g.platform.Say(p, g.ids[i%3], "profile")
				}
			}
			g.say(people, fmt.Sprint("hello ", round))
			time.Sleep(time.Duration(8300+170*round) * time.Millisecond)
			if w := g.owner(g.accounts[round%3].Name); w != nil {
				w.die()
			}
		}
		time.Sleep(3 * time.Minute)
		t.Logf("others waited for up to %v", g.waited(12*len(people)))
		if found := g.quarantined(); len(found) != 0 || g.deaths.Load() < 10 {
			t.Errorf("quarantined: %v, after %d deaths", found, g.deaths.Load())
		}
	})
}

// In quiet times nothing is written about whose code runs: neither while everybody is answered, nor when an account is handed over.
func TestNothingIsWrittenOfSuspectsInQuietTimes(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		g := newGang(t, 3)
		people := g.people(9)
		for i := range 6 {
			g.say(people, fmt.Sprint("hello ", i))
			time.Sleep(5 * time.Second)
			if i%2 == 1 {
				g.owner(g.accounts[0].Name).leave()
			}
		}
		time.Sleep(10 * time.Second)
		if most := g.waited(6 * len(people)); most > 10*time.Second {
			t.Errorf("somebody waited for %v", most)
		}
		if n := g.kept.Load() + g.told.Load() + int32(g.log.count("runs alone")); n > 0 {
			t.Errorf("%d were suspect", n)
		}
	})
}
