//go:build unix

package bot_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// works are workers that share a database, and a platform with accounts and people.
type works struct {
	t        *testing.T
	server   *pgserver.Server
	url      string
	log      *slog.Logger // of workers that run by themselves; nil for the test's own
	address  string
	platform *emulator.Platform
	accounts []bot.Account
	ids      []platform.UserID
	people   []platform.UserID
	hands    []*hand
	rate     float64 // what the host gets a second from workers that run by themselves; 0 for any number
	backlog  event.Backlog
	takeover time.Duration      // see bot.Config.TakeoverFor
	requests atomic.Int64       // of these, to the platform
	starts   func(*bot.Working) // a worker that runs by itself, before it has a bot; nil for nobody

	mu   sync.Mutex
	said map[platform.UserID][]string // what people have said, in its order
}

func newWorks(t *testing.T, accounts int) *works {
	t.Helper()
	effort.Shared(t)
	s := pgtest.New(t)
	w := &works{t: t, server: s, url: s.URL(""), platform: emulator.New(emulator.Config{}), said: map[platform.UserID][]string{}}
	server, err := emulator.Serve(t.Context(), "127.0.0.1:0", w.platform)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // nobody needs it any more
	w.address = server.BaseURL()
	for i := range accounts {
		name := fmt.Sprintf("account%02d", i)
		c := session.Credentials{Email: name + "@example.com", Password: "correct horse"}
		w.ids = append(w.ids, w.platform.AddAccount(emulator.Person{Username: name}, c.Email, c.Password))
		w.people = append(w.people, w.platform.AddPerson(emulator.Person{Username: fmt.Sprintf("person%02d", i)}))
		w.accounts = append(w.accounts, bot.Account{Name: event.Account(name), BaseURL: w.address, Credentials: c})
	}
	return w
}

// of returns the accounts of a shard.
func (w *works) of(_ context.Context, shard int) (all []bot.Account, _ error) {
	for _, a := range w.accounts {
		if a.Name.Shard() == shard {
			all = append(all, a)
		}
	}
	return all, nil
}

// hand is a worker with its bot.
type hand struct {
	*lease.Worker
	bot   *bot.Bot
	store bot.Store
	guard *lease.Guard
	crash context.CancelFunc // it beats no more
	ended chan error         // what its lease has ended with
	over  func()             // ends all of it
}

// hand lets a worker begin.
func (w *works) hand(name string) *hand {
	w.t.Helper()
	ctx := context.WithoutCancel(w.t.Context())
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	board, err := board.Open(ctx, w.url, board.Options{})
	must(err)
	log := slog.New(slog.NewTextHandler(w.t.Output(), nil)).With("worker", name)
	h := &hand{guard: lease.NewGuard(lease.SystemClock()), ended: make(chan error, 1)}
	holder := bot.NewHolder(w.of)
	h.Worker, err = lease.StartWorker(ctx, lease.Config{Card: lease.Card{Name: name}, Board: board, Holder: holder, Guard: h.guard, Log: log})
	must(err)
	seat := h.Seat()
	st, err := store.Open(ctx, store.Options{Path: w.url, Key: secretKey, Log: log, Fence: store.Fence{Worker: seat.Worker, Epoch: seat.Epoch, Stream: 1}})
	must(err)
	h.store = st
	router, err := bot.NewRouter(bot.RouterConfig{Routes: repeating()})
	must(err)
	h.bot, err = bot.New(bot.Config{
		MayBeIdle: true, Log: log, Store: st, Router: router, Transport: h.guard.Transport(platform.NewTransport(), 15*time.Second), PollInterval: 200 * time.Millisecond,
		Pace: &event.Pace{}, Ceiling: bot.Ceiling{Max: -1}, ReconcileGrace: 2 * time.Second, RequestTimeout: 2 * time.Second, TakeoverFor: w.takeover,
	})
	must(err)
	holder.Use(h.bot)
	run, stop := context.WithCancel(ctx)
	leased, crash := context.WithCancel(ctx)
	h.crash = crash
	ran := make(chan error, 1)
	go func() { ran <- h.bot.Run(run) }()
	go func() { h.ended <- h.Run(leased) }()
	h.over = sync.OnceFunc(func() {
		crash()
		stop()
		if err := <-ran; err != nil {
			w.t.Error(err)
		}
		_, _ = st.Close(), board.Close() // of one that is fenced there is nothing to be stored any more
	})
	w.t.Cleanup(h.over)
	w.hands = append(w.hands, h)
	return h
}

// repeating are the routes of the workers, which know what they say.
func repeating() []bot.Route {
	says := func(_ event.Account, text string) bool { return strings.HasPrefix(text, "you said: ") }
	return []bot.Route{engine.Route(repeats()[0], engine.Ways{Says: says})}
}

// say lets everybody write to her account.
func (w *works) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, p := range w.people {
		w.platform.Say(p, w.ids[i], text)
		w.said[p] = append(w.said[p], "you said: "+text)
	}
}

// heard returns what people were answered.
func (w *works) heard() map[platform.UserID][]string {
	heard := map[platform.UserID][]string{}
	for _, e := range w.platform.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && slices.Contains(w.ids, e.From) {
			heard[e.To] = append(heard[e.To], e.Text)
		}
	}
	return heard
}

// answered waits until everybody has the answers to all she has said, each once, and in its order.
func (w *works) answered(what string) {
	w.t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		heard := w.heard()
		missing := 0
		w.mu.Lock()
		for _, p := range w.people {
			if n := len(heard[p]); n < len(w.said[p]) {
				missing += len(w.said[p]) - n
			} else if !slices.Equal(heard[p], w.said[p]) {
				w.t.Fatalf("%s: %d was answered %q, and has said %q", what, p, heard[p], w.said[p])
			}
		}
		w.mu.Unlock()
		switch {
		case missing == 0:
			return
		case time.Since(began) > 2*time.Minute: // of a machine that compiles beside it
			w.t.Fatalf("%s: %d answers are missing; %d calls of send_message, %d of get_chats, %v", what, missing, w.platform.Calls("send_message"), w.platform.Calls("get_chats"), w.bots())
		}
	}
}

const secretKey = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// Workers share accounts: while people write, one leaves, one comes, and one beats no more. Every word is answered once.
func TestWorkersShareAccounts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	w := newWorks(t, 12)
	a := w.hand("a")
	w.quiesce()
	w.say("one")
	w.answered("one worker")
	b := w.hand("b")
	for i := range 10 {
		w.say(fmt.Sprint("while another one comes ", i))
		time.Sleep(100 * time.Millisecond)
	}
	w.answered("another one comes")
	leaving, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	go a.LeaveBoard(leaving)
	for i := range 10 {
		w.say(fmt.Sprint("while one leaves ", i))
		time.Sleep(100 * time.Millisecond)
	}
	if err := <-a.ended; err != nil {
		t.Errorf("it leaves with %v", err)
	}
	w.answered("one leaves")
	a.over()
	c := w.hand("c")
	w.say("the third one is there")
	w.answered("the third one is there")
	b.crash()
	for i := range 10 {
		w.say(fmt.Sprint("while one is dead ", i))
		time.Sleep(100 * time.Millisecond)
	}
	w.answered("one is dead")
	if b.guard.IsOpen() {
		t.Error("the gate of the dead one is open")
	}
	if err := <-b.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the dead one has ended with %v", err)
	}
	b.over()
	w.say("the last one")
	w.answered("the last one")
	c.over()
}

// quiesce waits until the messages of every account were polled: what was said before the first poll is not news.
func (w *works) quiesce() {
	w.t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		r, err := store.OpenReader(w.t.Context(), w.url, secretKey)
		w.must(err)
		polled := 0
		for i := range w.accounts {
			cursors, err := r.Cursors(w.t.Context(), w.accounts[i].Name, event.Messages, []platform.UserID{0})
			w.must(err)
			polled += len(cursors)
		}
		w.must(r.Close())
		if polled == len(w.accounts) {
			return
		}
		if time.Since(began) > time.Minute {
			w.t.Fatalf("%d of %d accounts are polled", polled, len(w.accounts))
		}
	}
}

// bots tells how the workers' bots stand.
func (w *works) bots() (all []string) {
	for _, h := range w.hands {
		for _, x := range h.bot.Health() {
			all = append(all, fmt.Sprintf("%v: %+v\n", h.Seat(), x))
		}
	}
	return all
}
