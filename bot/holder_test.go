package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// oneShop is an account that workers have one after another, on one store.
type oneShop struct {
	t        *testing.T
	platform *emulator.Platform
	pipe     *emulator.Server
	store    *store.Database
	path     string      // of the store
	reads    store.Store // what workers see of it; nil for all
	routes   []bot.Route // of workers; nil for repeats
	cfg      bot.Account
	id, ana  platform.UserID
	slow     time.Duration // until a worker knows which accounts there are
	bar      *bot.Account  // of another shard, of which that is known at once; nil for none
	way      *slowWay      // to the platform; nil for one that takes no time
}

func newOneShop(t *testing.T) *oneShop {
	t.Helper()
	s := &oneShop{t: t, platform: emulator.New(emulator.Config{})}
	s.pipe = emulator.NewPipe(s.platform)
	s.path = t.TempDir() + "/nectar.db"
	var err error
	if s.store, err = store.Open(context.WithoutCancel(t.Context()), store.Options{Path: s.path, Fast: true}); err != nil {
		t.Fatal(err)
	}
	c := session.Credentials{Email: "shop@b.example", Password: "secret"}
	s.id = s.platform.AddAccount(emulator.Person{Username: "shop"}, c.Email, c.Password)
	s.ana = s.platform.AddPerson(emulator.Person{Username: "ana"})
	s.cfg = bot.Account{Name: "shop", BaseURL: s.pipe.BaseURL(), Credentials: c}
	t.Cleanup(func() { _, _ = s.store.Close(), s.pipe.Close() }) // it may have been given up as by a crash
	return s
}

// worker lets a worker take the account's shard.
func (s *oneShop) worker() (h *bot.Holder, stop func()) {
	s.t.Helper()
	return s.workerOf(s.cfg)
}

// workerOf lets a worker take the shard of an account.
func (s *oneShop) workerOf(cfg bot.Account) (h *bot.Holder, stop func()) {
	s.t.Helper()
	routes := s.routes
	if routes == nil {
		routes = repeats()
	}
	router, err := bot.NewRouter(bot.RouterConfig{Routes: routes})
	if err != nil {
		s.t.Fatal(err)
	}
	var st store.Store = s.store
	if s.reads != nil {
		st = s.reads
	}
	way := http.RoundTripper(s.pipe.Transport())
	if s.way != nil {
		s.way.next = way
		way = s.way
	}
	b, err := bot.New(bot.Config{
		MayBeIdle: true, Store: st, Router: router, Transport: way, PollInterval: time.Second,
		Pace: &event.Pace{Account: event.Rate{PerSecond: 1.0 / 60, Burst: 3}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	h = bot.NewHolder(func(_ context.Context, shard int) ([]bot.Account, error) {
		switch {
		case s.bar != nil && shard == s.bar.Name.Shard():
			return []bot.Account{*s.bar}, nil
		case shard != cfg.Name.Shard():
			return nil, nil
		}
		time.Sleep(s.slow)
		return []bot.Account{cfg}, nil
	})
	h.Use(b)
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	<-b.Ready()
	if s.slow > 0 {
		go h.TakeShards(ctx, []lease.Holding{{Shard: cfg.Name.Shard()}})
	} else {
		h.TakeShards(ctx, []lease.Holding{{Shard: cfg.Name.Shard()}})
	}
	return h, func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	}
}

// says lets ana write, and returns after what time she was answered.
func (s *oneShop) says(text string) time.Duration {
	s.t.Helper()
	s.platform.Say(s.ana, s.id, text)
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		for _, e := range s.platform.Ledger().Since(0) {
			if e.Kind == emulator.Arrived && e.Text == "you said: "+text {
				return time.Since(began)
			}
		}
		if time.Since(began) > time.Hour {
			s.t.Fatalf("%q is not answered", text)
		}
	}
}

// Who takes over from a worker that died does not act as if that had used up nothing of its pace; who gets a shard from one that gives
// it away knows what was used up.
func TestTakeoverGrantsNoBurst(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		h, stop := s.worker()
		if _, err := h.Release(context.WithoutCancel(t.Context()), event.Account("shop").Shard()); err != nil { // what is known from then on is an hour old
			t.Fatal(err)
		}
		stop()
		time.Sleep(time.Hour)

		h, stop = s.worker()
		time.Sleep(10 * time.Minute)
		for i := range 3 {
			if took := s.says(fmt.Sprint(i)); took > 10*time.Second {
				t.Errorf("the first worker answers after %v", took)
			}
		}
		known, _, err := s.store.Known(context.WithoutCancel(t.Context()), "shop", "spent")
		if err != nil {
			t.Fatal(err)
		}
		h.EndLost(lease.Loss{Why: lease.ErrGone, Since: time.Now(), Until: time.Now()})
		stop()
		// Who died has noted nothing at its end.
		s.store.Commit(store.Write{Known: &store.Known{Account: "shop", Fact: known}, Done: func(store.Receipt) {}})

		h, stop = s.worker()
		if took := s.says("after a crash"); took < 50*time.Second {
			t.Errorf("who takes over answers after %v, as if nothing had been used up", took)
		}
		time.Sleep(10 * time.Minute)
		s.says("one of three")
		if _, err := h.Release(context.WithoutCancel(t.Context()), event.Account("shop").Shard()); err != nil {
			t.Fatal(err)
		}
		stop()

		_, stop = s.worker()
		for i := range 2 {
			if took := s.says(fmt.Sprint("left over ", i)); took > 10*time.Second {
				t.Errorf("with what was left over it answers after %v", took)
			}
		}
		if took := s.says("used up"); took < 10*time.Second {
			t.Errorf("what was used up is there again after %v", took)
		}
		stop()
	})
}

// Who takes over does not try credentials at once that another worker has just tried in vain, unless they are others.
func TestTakeoverHeedsRefusals(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		right := s.cfg.Password
		s.cfg.Password = "wrong"
		for range 3 { // workers, one after another
			h, stop := s.worker()
			time.Sleep(10 * time.Second)
			h.EndLost(lease.Loss{Why: lease.ErrGone, Since: time.Now(), Until: time.Now()})
			stop()
		}
		if n := s.platform.Calls("login"); n != 1 {
			t.Errorf("%d sign-ins with a password that was refused, within the time of one", n)
		}
		s.cfg.Password = right
		_, stop := s.worker()
		time.Sleep(10 * time.Second)
		if took := s.says("hello"); took > 3*time.Minute {
			t.Errorf("with the right password it answers after %v", took)
		}
		stop()
	})
}

// A timer that comes due while its shard changes hands waits until its account is there, and is not set aside as one of an account
// that nobody serves.
func TestTimerWhileAShardChangesHands(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		timer := event.Timer{Key: event.Key{Account: "shop", Peer: s.ana}, Name: "remind", Occurrence: 1, Due: time.Now()}
		stored := make(chan error, 1)
		s.store.Commit(store.Write{Turn: &store.Turn{
			Trigger: event.Trigger{Kind: event.ByRequest, Key: timer.Key, Choice: "x"}, Timers: []event.Timer{timer}, At: time.Now(),
		}, Done: func(r store.Receipt) { stored <- r.Err }})
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
		bar := s.cfg
		bar.Name, bar.Email = "bar", "bar@b.example"
		s.platform.AddAccount(emulator.Person{Username: "bar"}, bar.Email, bar.Password)
		s.slow, s.bar = 5*time.Minute, &bar
		h, stop := s.worker()
		time.Sleep(time.Minute)
		h.TakeShards(context.WithoutCancel(t.Context()), []lease.Holding{{Shard: bar.Name.Shard()}}) // what is due is read then
		for began := time.Now(); ; time.Sleep(time.Second) {
			if names, err := s.store.OrphanedTimers(context.WithoutCancel(t.Context()), "shop"); err != nil || len(names) > 0 {
				t.Fatalf("set aside are %v, %v", names, err)
			}
			if time.Since(began) > 10*time.Minute {
				break
			}
		}
		stop()
	})
}

// A term begins above the places of whoever had the account before, whose clock may have been ahead: what it decides comes behind.
func TestTermBeginsAboveTheLastOne(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		far := time.Now().Add(time.Minute).UnixMicro()
		key := event.Key{Account: "shop", Peer: s.ana}
		later := event.Action{
			Key: "decision:x/x/0", Account: "shop", Peer: s.ana, Verb: event.VerbMessage, Text: "later", State: event.StateDue,
			Due: time.Now().Add(time.Hour), DecidedAt: time.Now(), Position: far,
		}
		stored := make(chan error, 1)
		s.store.Commit(store.Write{Turn: &store.Turn{
			Trigger: event.Trigger{Kind: event.ByRequest, Key: key, Choice: "x"}, Actions: []record.Action{{Action: later}}, At: time.Now(),
		}, Done: func(r store.Receipt) { stored <- r.Err }})
		if err := <-stored; err != nil {
			t.Fatal(err)
		}
		_, stop := s.worker()
		if p := s.store.NextPosition(); p <= far {
			t.Errorf("the place %d is not above %d, of an earlier term", p, far)
		}
		stop()
	})
}

// An account of one worker does not answer an account of another one, which they know of from the store: they would talk to each other
// for ever.
func TestAccountsOfOtherWorkers(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		c := session.Credentials{Email: "cafe@b.example", Password: "secret"}
		cafe := s.platform.AddAccount(emulator.Person{Username: "cafe"}, c.Email, c.Password)
		_, stop := s.worker()
		_, stopOther := s.workerOf(bot.Account{Name: "cafe", BaseURL: s.pipe.BaseURL(), Credentials: c})
		time.Sleep(time.Minute)
		s.platform.SayAs(s.id, cafe, "hello")
		time.Sleep(time.Minute)
		for _, e := range s.platform.Ledger().Since(0) {
			if e.Kind == emulator.Arrived {
				t.Errorf("an account wrote %q to one of another worker", e.Text)
			}
		}
		if took := s.says("hello"); took > time.Minute {
			t.Errorf("a person is answered after %v", took)
		}
		stop()
		stopOther()
	})
}

// What a shard costs is measured by the turns of its accounts: one that has much to do weighs more than one that has nothing.
func TestHolderMeasuresLoad(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		s.cfg.Pace = &event.Pace{}
		h, stop := s.worker()
		time.Sleep(time.Minute)
		idle := h.MeasureLoads()[s.cfg.Name.Shard()]
		for i := range 60 {
			s.says(fmt.Sprint(i))
			time.Sleep(time.Second)
			h.MeasureLoads()
		}
		busy := h.MeasureLoads()[s.cfg.Name.Shard()]
		if idle <= 0 || busy < 2*idle || len(h.MeasureLoads()) != 1 {
			t.Errorf("it costs %d, and %d when it has much to do; %v", idle, busy, h.MeasureLoads())
		}
		time.Sleep(time.Hour)
		for range 10 {
			h.MeasureLoads()
			time.Sleep(10 * time.Second)
		}
		if after := h.MeasureLoads()[s.cfg.Name.Shard()]; after > idle+idle/10 {
			t.Errorf("when it has nothing to do any more it costs %d", after)
		}
		stop()
	})
}
