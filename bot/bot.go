package bot

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/sourcegraph/conc"
)

// Bot serves accounts: it polls, decides and acts. Make one with New, run it once with Run.
type Bot struct {
	cfg      Config
	log      *slog.Logger
	store    store.Store
	router   *Router
	courier  *outbox.Courier
	accounts map[event.Account]*account
	order    []*account
	timers   *timers
	orphans  *orphans
	schedule *poll.Schedule

	lanesMu sync.Mutex
	lanes   map[event.Key]*lane

	refusals chan event.Action
	requests *requests
	nudges   *nudges
	selves   sync.Map // of self: the account
	counted  counted

	abandoned atomic.Int64  // handlers left behind
	workers   *workers      // goroutines of lanes
	ready     chan struct{} // closed when every account has been taken up
}

// New makes a bot. It starts nothing and asks nobody. The error names what is wrong in the
// configuration.
func New(cfg Config) (*Bot, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	b := &Bot{
		cfg: cfg, log: cfg.Log, store: cfg.Store, router: cfg.Router, accounts: map[event.Account]*account{},
		timers: newTimers(), orphans: newOrphans(), lanes: map[event.Key]*lane{},
		refusals: make(chan event.Action, maxRefusals), requests: newRequests(), nudges: newNudges(), workers: newWorkers(), ready: make(chan struct{}),
	}
	b.courier = outbox.NewCourier(outbox.Config{
		Ledger: cfg.Store, Log: cfg.Log, Deadline: cfg.RequestTimeout, Grace: cfg.SettleGrace, SecondLook: cfg.SettlePause, Ended: b.ended, Owed: b.owed, Warned: b.warned,
		Yield: cfg.Yield,
	})
	clients := map[string]*platform.Client{}
	if b.cfg.Transport == nil {
		b.cfg.Transport = platform.NewTransport()
	}
	for i := range cfg.Accounts {
		a := &cfg.Accounts[i]
		c := clients[home(a.BaseURL)]
		if c == nil {
			var err error
			c, err = platform.New(platform.Config{
				BaseURL: a.BaseURL, Transport: b.cfg.Transport, Timeout: cfg.RequestTimeout, AllowPlainHTTP: a.AllowPlainHTTP,
				MaxList: cfg.ListLimit,
			})
			if err != nil {
				return nil, fmt.Errorf("account %q: %w", a.Name, err)
			}
			clients[home(a.BaseURL)] = c
		}
		acc := b.newAccount(a, c)
		b.accounts[a.Name] = acc
		b.order = append(b.order, acc)
	}
	return b, nil
}

// Run runs the bot until ctx is done, then ends what is under way and returns nil. An error means
// that it could not start.
func (b *Bot) Run(ctx context.Context) error {
	lanes, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if err := b.checkFlows(lanes); err != nil {
		return err
	}
	if err := b.takeUp(lanes); err != nil {
		b.drain(lanes, cancel) // the accounts before have begun to work
		return err
	}
	close(b.ready)
	b.takeWaiting(ctx, lanes) //mutate:requests-first
	var own conc.WaitGroup
	own.Go(func() { b.runTimers(ctx, lanes) })
	own.Go(func() { b.checkTimers(ctx) })
	own.Go(func() { b.runShelving(ctx) })
	own.Go(func() { b.noteRefusals(ctx, lanes) })
	own.Go(func() { b.runRequests(ctx, lanes) }) //mutate:run-requests
	own.Go(func() { b.runNudges(ctx, lanes) })
	own.Go(func() { b.judgeStrangers(ctx, lanes) })
	//mutate:watch-health
	own.Go(func() { b.watchHealth(ctx) })
	own.Go(func() { b.watchRivals(ctx, lanes) })
	own.Go(func() { _ = b.schedule.Run(ctx) }) // it ends with ctx, that is no failure
	own.Wait()
	b.drain(lanes, cancel)
	return nil
}

// takeUp opens the accounts, and takes up what an earlier life left of them.
func (b *Bot) takeUp(lanes context.Context) error {
	b.schedule = poll.NewSchedule(max(4, 2*len(b.order)))
	b.recall(lanes)
	for _, a := range b.order {
		if err := a.open(lanes); err != nil {
			return err
		}
		if err := a.recover(lanes); err != nil {
			return fmt.Errorf("start account %s: %w", a.name, err)
		}
		b.schedule.Add(a.poller)
	}
	return nil
}

// Ready is closed when the bot has taken up every account, before the first poll.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Abandoned returns how many handlers did not return in time and were left behind.
func (b *Bot) Abandoned() int64 { return b.abandoned.Load() }

// checkFlows says which conversations stand in states that the program no longer has.
func (b *Bot) checkFlows(ctx context.Context) error {
	counts, err := b.store.FlowStates(ctx)
	if err != nil {
		return err
	}
	for _, o := range b.router.orphans(counts) {
		b.log.Warn("conversations stand in a flow that this program does not have", "what", o.String())
	}
	return nil
}

// ended is told of each action that reached an end.
func (b *Bot) ended(a event.Action) {
	b.counted.action(&a)
	acc := b.accounts[a.Account]
	if acc != nil {
		acc.heldTooLate(&a)
	}
	switch {
	case acc != nil && a.Verb == event.VerbRenew:
		acc.renewed(&a)
		return
	case acc == nil || a.Verb != event.VerbMessage:
		return
	case a.State == event.StateRefused:
		b.refused(a)
		return
	case a.State != event.StateDone:
		return
	}
	acc.strangers.add(platform.MessageID(a.Result))
	acc.rivals.sent(a.Peer)
	acc.poller.Sent(a.Peer, cmp.Or(platform.MessageID(a.Result), poll.Unnamed), a.Text)
}

// drain ends what is under way: turns, then requests, then what is to be stored.
func (b *Bot) drain(lanes context.Context, cancel context.CancelFunc) {
	deadline, done := context.WithTimeout(lanes, b.cfg.DrainTimeout)
	defer done()
	select {
	case <-b.workers.stop():
	case <-deadline.Done():
		b.log.Warn("handlers are still running; what they decide is not taken any more")
	}
	_ = b.store.MarkNow(deadline) // whether everything is stored shows at the end
	if err := b.courier.Drain(deadline); err != nil {
		b.log.Warn("requests are still running; they are settled at the next start")
	}
	cancel()
	last, done2 := context.WithTimeout(context.WithoutCancel(lanes), b.cfg.DrainTimeout)
	defer done2()
	if err := b.store.MarkNow(last); err != nil {
		b.log.Error("not everything could be stored; it is read again at the next start", "err", err)
	}
	for _, a := range b.order {
		if err := a.broker.Wait(last); err != nil {
			b.log.Warn("a sign-in was still under way", "account", a.name)
		}
	}
}
