package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/hook"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/sourcegraph/conc/pool"
)

// Bot serves accounts: it polls, decides and acts. Make one with New, run it once with Run.
type Bot struct {
	// Set by New, and by serveShards before Run; what has parts that change locks them itself.
	cfg        Config
	log        *slog.Logger
	store      store.Store
	router     *Router
	around     Handler // middleware, and within it the router; see answerTurn
	stopWords  *stopWords
	dispatcher *outbox.Dispatcher
	accounts   *accounts
	timers     *timers
	orphans    *orphans
	schedule   *poll.Schedule
	room       *poll.Room // of all pollers
	refusals   chan event.Action
	nudges     *nudges
	selves     sync.Map // of self: the name of the account
	directory  directory
	counted    counted
	judge      judge
	overdues   overdues
	wall       wallWatch
	whole      func(shard int) bool     // all accounts of a shard are taken up
	terms      *lifecycle.Group         // that begin or end on their own
	behind     *lifecycle.Group         // calls behind commits; see Turn.OnCommit
	ready      chan struct{}            // closed when every account has been taken up
	suspects   atomic.Pointer[suspects] // nil: everybody runs beside the others
	suspicious chan struct{}            // gets something when there are new ones, where workers share a database
	makesHolder

	remembered atomic.Int64 // lanes of all accounts
	abandoned  atomic.Int64 // handlers left behind
	leased     atomic.Bool  // accounts come and go with leases; see serveShards

	mu       sync.Mutex       // guards the fields below
	sites    map[string]*site // by platform, see canonicalBase
	termsCtx context.Context  //nolint:containedctx // what the lives of all terms are a part of; nil before Run
}

// New makes a bot. It starts nothing and asks nobody. The error names what is wrong in the
// configuration.
func New(cfg Config) (*Bot, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	if cfg.Transport == nil {
		cfg.Transport = platform.NewTransport()
	}
	cfg.shareEntrance()
	b := &Bot{
		cfg: cfg, log: cfg.Log, store: cfg.Store, router: cfg.Router, accounts: newAccounts(), sites: map[string]*site{},
		timers: newTimers(), orphans: newOrphans(), schedule: poll.NewSchedule(pollerCount(len(cfg.Accounts))), room: poll.NewRoom(poll.RoomSize),
		refusals: make(chan event.Action, maxRefusals), nudges: newNudges(), terms: lifecycle.New(), behind: lifecycle.New(), ready: make(chan struct{}), suspicious: make(chan struct{}, 1),
		judge: judge{began: time.Now()}, stopWords: newStopWords(cfg.StopWords),
	}
	b.around = wrap(HandlerFunc(b.answerTurn), cfg.Router.wraps)
	b.whole = func(int) bool { return true }
	b.suspects.Store(newSuspects(b)) //mutate:suspects
	hook.Put(&b.makesHolder, b.heldBy)
	machine := cfg.Store.Machine()
	b.dispatcher = outbox.NewDispatcher(outbox.Config{
		Ledger: cfg.Store, Log: cfg.Log, Recorder: cfg.Store.Recorder(), Last: cfg.Store.LastReport(), Deadline: cfg.RequestTimeout, Grace: cfg.ReconcileGrace, SecondLook: cfg.ReconcilePause, Listener: listener{b},
		Yield: cfg.Yield, Boot: machine.Boot, Steady: machine.Steady,
	})
	for _, a := range cfg.Accounts {
		if _, _, err := b.admitAccount(&a); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Run runs the bot until ctx is done, then ends what is under way and returns nil, also when it was still starting. An error means
// that it could not start, or that its store takes nothing any more until it is opened anew; a *session.ParkedError with Other, that
// credentials are another person's than what is stored is of.
func (b *Bot) Run(ctx context.Context) error {
	end, over := b.startBeat(ctx), false
	defer func() { end(over) }() // a panic goes on as one: the incarnation dies of it, and the file does not say that it has ended
	b.logCrash()
	err := b.run(ctx)
	over = true
	if err == nil {
		b.log.Info("the bot has stopped", "version", store.Version())
	}
	return err
}

func (b *Bot) run(ctx context.Context) error {
	termsCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	failed, err := b.start(ctx, termsCtx)
	switch {
	case ctx.Err() != nil: // a stop while it starts is a stop, also when it broke something off
		b.drain(termsCtx)
		return nil
	case err != nil:
		b.drain(termsCtx) // some may have begun to work
		return err
	}
	close(b.ready)
	b.tellCrash(ctx)
	// A loop that panics ends the others, or nobody would know before the stop.
	own := pool.New().WithContext(ctx).WithCancelOnError() //mutate:loop-panics
	loop := func(f func(ctx context.Context)) {
		own.Go(func(ctx context.Context) error {
			f(ctx)
			return nil
		})
	}
	loop(b.runSuspects)
	loop(b.runTimers)
	loop(b.checkTimers)
	loop(b.runPersisting)
	loop(b.noteRefusals)
	loop(b.runRequests) //mutate:run-requests
	loop(b.runNudges)
	loop(b.judgeUnattributed)
	//mutate:watch-health
	loop(b.watchHealth)
	loop(b.watchRivals)
	loop(b.watchOverdue)
	loop(b.watchWall)
	if b.leased.Load() {
		loop(b.followDirectory)
	}
	loop(func(ctx context.Context) { _ = b.schedule.Run(ctx) }) // it ends with ctx, that is no failure
	for _, a := range failed {
		loop(func(ctx context.Context) { b.tryUntilTaken(ctx, termsCtx, a) }) //mutate:term-again
	}
	if !b.leased.Load() { // a worker looks itself
		own.Go(b.followStore)
	}
	err = own.Wait() // a panic goes on here
	b.drain(termsCtx)
	return err
}

// followStore returns an error when nothing is stored any more: nothing leaves then, and the person who runs the bot has to know.
func (b *Bot) followStore(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-b.store.Done():
		return fmt.Errorf("nothing is stored any more: %w", b.store.Err())
	}
}

// start reads what the bot has to know, and begins the terms of its accounts, unless ctx ends before. It returns those that could not
// be taken up.
func (b *Bot) start(ctx, termsCtx context.Context) (failed []*account, err error) {
	if err := b.checkFlows(ctx); err != nil {
		return nil, err
	}
	read := b.restoreSelves
	if b.leased.Load() {
		read = b.readDirectory
	}
	if err := read(ctx); errors.Is(err, store.ErrBrokenSelf) { // told now, since it is not read again; its account enrols anew when it signs in
		b.log.WarnContext(ctx, "who an account is cannot be read; the others are known", "err", err)
	} else if err != nil {
		return nil, err
	}
	return b.takeUp(ctx, termsCtx)
}

// takeUp begins the terms of the accounts that are there, and returns those that could not be taken up and are to be tried again; one
// that cannot be stops no other. The error is that of the first one when none could be. A term that has begun is not over when ctx is: drain ends it.
func (b *Bot) takeUp(ctx, termsCtx context.Context) (failed []*account, err error) {
	b.mu.Lock()
	b.termsCtx = termsCtx
	all := b.accounts.all()
	b.mu.Unlock()
	b.restore(ctx, all)
	var errs []error
	for _, a := range all {
		err := a.beginTerm(ctx, termsCtx, nil) //mutate:start-cut
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil && !a.leaving.Load() {
			failed, errs = append(failed, a), append(errs, err)
		}
	}
	if len(failed) > 0 && len(failed) == len(all) {
		return nil, noneBegan(errs)
	}
	var again []*account
	for i, a := range failed {
		b.giveUp(termsCtx, a)
		if isAnother(errs[i]) {
			b.tellParked(a.name, errs[i])
			continue
		}
		b.log.Error("an account cannot be taken up; trying again", "account", a.name, "err", errs[i])
		again = append(again, a)
	}
	return again, nil
}

// drain ends the terms of all accounts, for good.
func (b *Bot) drain(termsCtx context.Context) {
	<-b.terms.Stop() // who comes or goes at the moment
	b.giveUp(termsCtx, b.accounts.all()...)
	late, done := context.WithTimeout(termsCtx, b.cfg.DrainTimeout)
	defer done()
	select {
	case <-b.behind.Stop():
	case <-late.Done():
		b.log.Warn("what a turn had called after its commit still runs")
	}
}

// Ready is closed when the bot has taken up every account, before the first poll.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// checkFlows says which conversations stand in states that the program no longer has.
func (b *Bot) checkFlows(ctx context.Context) error {
	counts, err := b.store.FlowStates(ctx)
	if err != nil {
		return err
	}
	for _, o := range b.router.orphanStates(counts) {
		b.log.Warn("conversations stand in a flow that this program does not have", "what", o.String())
	}
	return nil
}

// runEvery calls f every now and then, until ctx is done.
func runEvery(ctx context.Context, pause time.Duration, f func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f()
		}
	}
}
