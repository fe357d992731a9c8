package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

const (
	account  = event.Account("bot")
	email    = "bot@example.org"
	password = platform.Secret("correct horse")
)

// setup says what a world is like.
type setup struct {
	emulator    emulator.Config
	config      outbox.Config
	pace        event.Pace
	concurrency int
	commit      time.Duration                         // how long a commit takes
	reading     time.Duration                         // how long a reading of the store takes
	trip        time.Duration                         // how long a call takes
	wrap        func(outbox.Platform) outbox.Platform // between the dispatcher and the client
	out         func() bool                           // whether others get no answer of the platform
	limit       *outbox.Publishing                    // of what is published; nil for none
	hush        func(peer platform.UserID) <-chan struct{}
	revoked     func(a *event.Action, earlier bool) (reason string)
	onEnd       func(a event.Action)
	onWarning   func(kind event.WarningKind)
}

// world is a platform, a disk, and one incarnation after another of a dispatcher on them.
type world struct {
	*testing.T
	setup
	p    *emulator.Platform
	pipe *emulator.Server
	net  *network
	disk *disk
	bot  platform.UserID
	keys int

	*incarnation
	writer  *writer
	undone  [][]event.Action // turns that a crash kept from being stored
	halted  bool             // from the start of an incarnation on
	log     *logged
	refuses bool          // the disk, at each start
	spent   *outbox.Spent // what an incarnation is told of the one before
	machine machine
}

// incarnation is a dispatcher from its start to its crash or stop.
type incarnation struct {
	ledger     *memory
	dispatcher *outbox.Dispatcher
	outbox     *outbox.Account
	broker     *session.Broker
	ctx        context.Context //nolint:containedctx // it is the lifetime of the dispatcher
	cancel     context.CancelFunc

	mu    sync.Mutex
	ended []event.Action
}

// inWorld runs a test in a bubble with a platform and a dispatcher at work.
func inWorld(t *testing.T, s setup, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(s)
		w.T = t
		defer w.close()
		w.start()
		defer w.crash()
		test(w)
		w.stop()
	})
}

func newWorld(s setup) *world {
	w := &world{setup: s, disk: newDisk(), log: &logged{}}
	w.p = emulator.New(s.emulator)
	w.pipe = emulator.NewPipe(w.p)
	w.net = &network{next: w.pipe.Transport(), wait: s.trip, answer: make(chan struct{})}
	w.bot = w.p.AddAccount(emulator.Person{Username: "bot"}, email, password)
	w.concurrency = max(w.concurrency, 1)
	return w
}

func (w *world) close() { must(w.pipe.Close()) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// start begins an incarnation.
func (w *world) start() {
	client := w.client(w.net)
	l := &incarnation{ledger: &memory{disk: w.disk, delay: w.commit, slow: w.reading, broken: w.refuses}}
	l.broker = session.New(session.Config{
		Account: string(account), Client: client, Credentials: session.Credentials{Email: email, Password: password},
		MinPause: time.Second, MaxPause: time.Second,
	})
	var pf outbox.Platform = outbox.Client{Client: client.WithSession(l.broker)}
	if w.wrap != nil {
		pf = w.wrap(pf)
	}
	cfg := w.config
	cfg.Ledger, cfg.Log = l.ledger, slog.New(slog.NewTextHandler(w.log, nil))
	cfg.Boot, cfg.Steady = w.machine.now()
	o := owner{setup: w.setup, of: l}
	cfg.Listener = o
	l.dispatcher = outbox.NewDispatcher(cfg)
	l.outbox = l.dispatcher.Open(outbox.AccountConfig{
		Account: account, Platform: pf, Me: l.broker.Me, Slots: make(slots, w.concurrency), Concurrency: w.concurrency, Pace: w.pace,
		People: o, Chats: o,
	})
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if w.halted {
		l.outbox.HaltAll()
	}
	l.outbox.LimitPublishing(w.limit)
	if w.spent != nil {
		l.outbox.InheritPace(*w.spent)
	}
	must(l.outbox.Recover(l.ctx))
	w.incarnation = l
}

func (w *world) client(transport http.RoundTripper) *platform.Client {
	client, err := platform.New(platform.Config{BaseURL: w.pipe.BaseURL(), Transport: transport})
	must(err)
	return client
}

// aside returns the account as somebody else uses it: nobody here knows what it does.
func (w *world) aside() *platform.Client {
	client := w.client(w.pipe.Transport())
	in, err := client.Login(context.Background(), platform.LoginParams{Email: email, Password: password})
	must(err)
	return client.WithSession(fixed(in.SessionID))
}

// sent sends messages as an earlier incarnation did before it crashed.
func (w *world) sent(actions ...event.Action) []platform.MessageID {
	ids := make([]platform.MessageID, len(actions))
	for i, a := range actions {
		m, err := w.aside().SendMessage(context.Background(), platform.SendMessageParams{To: a.Peer, Text: a.Text})
		must(err)
		ids[i] = m.ID
	}
	return ids
}

// crash ends an incarnation as kill -9 does: what is not on the disk is lost, requests are cut. After stop it
// does nothing.
func (w *world) crash() {
	w.ledger.crash()
	w.cancel()
	must(w.outbox.Drain(context.Background()))
	must(w.broker.Wait(context.Background()))
}

// stop ends an incarnation in good order.
func (w *world) stop() {
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	must(w.outbox.Drain(ctx))
	w.ledger.refuse(false)
	must(w.ledger.MarkNow(ctx))
	w.cancel()
	must(w.broker.Wait(context.Background()))
}

func (w *world) restart() {
	w.stop()
	w.start()
}

// decide is a turn with actions: reserve, store, commit the reservation.
func (w *world) decide(actions ...event.Action) {
	reserved := w.outbox.Reserve(actions, time.Now())
	if err := w.ledger.commit(w.ctx, actions, nil); err != nil {
		reserved.GiveBack()
		return
	}
	reserved.Commit(w.ctx)
}

// person adds somebody who has written once.
func (w *world) person(name string) platform.UserID {
	id := w.p.AddPerson(emulator.Person{Username: name})
	if w.p.Say(id, w.bot, "hi from "+name) == 0 {
		panic("nobody can write to the bot")
	}
	return id
}

func (w *world) key() string {
	w.keys++
	return fmt.Sprintf("t/%04d", w.keys)
}

// message is an answer to what the person said last.
func (w *world) message(to platform.UserID, text string) event.Action {
	a := event.Action{Key: w.key(), Account: account, Peer: to, Verb: event.VerbMessage, Text: text}
	for _, m := range w.p.Messages(w.bot, to) {
		if !m.Own {
			a.ReconcileFrom = int64(m.ID)
		}
	}
	return a
}

// messages are answers in one turn.
func (w *world) messages(to platform.UserID, texts ...string) []event.Action {
	actions := make([]event.Action, len(texts))
	for i, text := range texts {
		actions[i] = w.message(to, text)
	}
	return actions
}

func (w *world) post(peer platform.UserID, thread platform.PostID, text string) event.Action {
	return event.Action{
		Key: w.key(), Account: account, Peer: peer, Verb: event.VerbPost, Text: text, Post: thread, ReconcileFrom: int64(thread),
	}
}

func (w *world) like(peer platform.UserID, post platform.PostID, want bool) event.Action {
	return event.Action{Key: w.key(), Account: account, Peer: peer, Verb: event.VerbLike, Post: post, Want: want}
}

// arrived returns the texts of the bot's messages to a person, in their order.
func (w *world) arrived(to platform.UserID) []string {
	var texts []string
	for _, e := range w.p.Ledger().Since(0) {
		if e.Kind == emulator.Arrived && e.To == to {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// entries returns what the bot did through the API, of some kinds.
func (w *world) entries(kinds ...emulator.EntryKind) []emulator.Entry {
	return slices.DeleteFunc(w.p.Ledger().Since(0), func(e emulator.Entry) bool {
		return !e.ByAPI || !slices.Contains(kinds, e.Kind)
	})
}

// until lets time pass until cond holds; it reports false when that takes more than most.
func (w *world) until(most time.Duration, cond func() bool) bool {
	for begun := time.Now(); ; {
		synctest.Wait()
		if cond() {
			return true
		}
		passed := time.Since(begun)
		if passed >= most {
			return false
		}
		time.Sleep(min(max(passed/200, 10*time.Millisecond), 10*time.Second))
	}
}

// rest lets time pass until every action has come to an end or is held.
func (w *world) rest(most time.Duration) {
	w.Helper()
	if !w.until(most, w.quiet) {
		for _, a := range w.disk.all() {
			w.Logf("%s %s %q: %s, %d tries, %s", a.Key, a.Verb, a.Text, a.State, a.Tries, a.Reason)
		}
		w.Fatalf("not everything has come to an end after %v", most)
	}
}

// quiet reports whether every action has come to an end or is held, also in what is not on the disk.
func (w *world) quiet() bool {
	if w.ledger.commit(w.ctx, nil, nil) != nil {
		return false
	}
	for _, a := range w.disk.all() {
		if !a.State.Final() && a.State != event.StateHeld {
			return false
		}
	}
	return true
}

func (w *world) state(a event.Action) event.State { return w.disk.action(a.Key).State }

func (w *world) same(what string, want, got any, opts ...cmp.Option) {
	w.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// slots bounds the requests in flight.
type slots chan struct{}

func (s slots) Acquire(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s slots) Release() { <-s }

// logged keeps what was logged.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) count(message string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), message)
}
