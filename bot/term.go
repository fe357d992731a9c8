package bot

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/shards"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/sourcegraph/conc"
)

// An account is there for a term: it may come and go while the bot runs. What belongs to it – lanes, outbox, poller, session,
// and all that is remembered of it – is made for the term, and nothing is left of it behind: no goroutine, no timer, no memory.

var (
	// ErrNotServed is the error of an account that the bot does not have.
	ErrNotServed = errors.New("this bot does not serve the account")
	// ErrStopped is the error of an account that comes or goes while the bot stops.
	ErrStopped = shards.ErrStopped
)

// ServedError is the error of an account that the bot has already, or that signs in as the same person as another one.
type ServedError struct{ Account, Other event.Account }

// Error says which two.
func (e *ServedError) Error() string {
	if e.Account == e.Other {
		return fmt.Sprintf("two accounts are named %q: names must differ", e.Account)
	}
	return fmt.Sprintf("the accounts %q and %q sign in as the same person: remove one of them", e.Other, e.Account)
}

// Add takes an account up while the bot runs. What an earlier term has left is taken up before it is polled, and it works when
// Add returns. Before Run it is as if it stood in Config.Accounts. The errors are a *ServedError, ErrStopped, that of a wrong
// configuration, that of the store, and a *session.ParkedError where another person signs in than what is stored is of: then the bot
// does not have the account.
func (b *Bot) Add(account Account) error { return b.add(context.Background(), &account, nil) }

// add is Add, and gives up when ctx ends before the account has been taken up. ahead is what was read of it already.
func (b *Bot) add(ctx context.Context, account *Account, ahead *store.Ahead) error {
	if !b.terms.Begin() {
		return fmt.Errorf("add the account %q: %w", account.Name, ErrStopped)
	}
	defer b.terms.End()
	a, incarnations, err := b.admitAccount(account)
	if err != nil || incarnations == nil {
		return err
	}
	if err := a.beginTerm(ctx, incarnations, ahead); err != nil {
		incarnations, cut := either(incarnations, ctx)
		defer cut()
		b.endTerm(incarnations, a)
		b.forgetTerm(a)
		return err
	}
	b.orphans.adoptLater(a.name) //mutate:term-timers
	return nil
}

// Remove gives an account up while the bot runs: what is under way ends, for as long as a stop may take, and is stored, however
// long that takes. Then nothing of it is left in the bot, and it may be taken up again, here or by another process. The errors are
// ErrNotServed and ErrStopped.
func (b *Bot) Remove(name event.Account) error { return b.remove(context.Background(), name) }

// remove is Remove, and gives up when ctx ends before all of the account is stored.
func (b *Bot) remove(ctx context.Context, name event.Account) error {
	if !b.terms.Begin() {
		return fmt.Errorf("remove the account %q: %w", name, ErrStopped)
	}
	defer b.terms.End()
	a := b.accounts.markLeaving(name)
	if a == nil {
		return fmt.Errorf("remove the account %q: %w", name, ErrNotServed)
	}
	a.turn <- struct{}{}
	defer func() { <-a.turn }()
	b.mu.Lock()
	incarnations := b.termsCtx
	b.mu.Unlock()
	if incarnations != nil {
		incarnations, cut := either(incarnations, ctx)
		defer cut()
		if !b.endTerm(incarnations, a) {
			return fmt.Errorf("remove the account %q: %w", name, ErrStopped)
		}
	}
	b.forgetTerm(a)
	return nil
}

// either returns a context that ends with the first one of two.
func either(a, b context.Context) (context.Context, func()) {
	both, cut := context.WithCancel(a)
	stop := context.AfterFunc(b, cut) //mutate:end-cut
	return both, func() {
		stop()
		cut()
	}
}

// endTerm gives an account up, and waits until nothing of it is under way any more – a renewal of its session may take a while –, and all
// of it is stored, or was refused: what the store does not know yet would be news to the next term. It returns false when the bot stops
// before.
func (b *Bot) endTerm(incarnations context.Context, a *account) bool {
	b.giveUp(incarnations, a)
	if !b.waitForRenewals(incarnations, a) { //mutate:term-renewal
		return false
	}
	for range 2 { // what is stored may give something back, which is stored, too
		if !b.waitStored(incarnations) { //mutate:term-stored
			return false
		}
	}
	return true
}

// waitForRenewals waits until no session of an account is on its way any more; false when the bot stops before.
func (b *Bot) waitForRenewals(ctx context.Context, a *account) bool {
	ctx, cancel := b.whileRunning(ctx)
	defer cancel()
	return a.broker.Wait(ctx) == nil
}

// waitStored waits until all that is queued in the store is stored, or was refused; false when the bot stops before.
func (b *Bot) waitStored(ctx context.Context) bool {
	ctx, cancel := b.whileRunning(ctx)
	defer cancel()
	for b.store.MarkNow(ctx) != nil {
		_ = lifecycle.Sleep(ctx, time.Second)
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// whileRunning returns a context that also ends when the bot stops.
func (b *Bot) whileRunning(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-b.terms.Stopping():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// admitAccount makes the account of a configuration one of the bot's. It returns what its term is a part of; nil before Run, with
// which the account begins.
func (b *Bot) admitAccount(cfg *Account) (*account, context.Context, error) {
	if err := cfg.validate(); err != nil {
		return nil, nil, err
	}
	at, err := b.siteOf(cfg)
	if err != nil {
		return nil, nil, fmt.Errorf("account %q: %w", cfg.Name, err)
	}
	a := b.newAccount(cfg, at)
	b.mu.Lock()
	defer b.mu.Unlock()
	if other := b.accounts.add(a); other != nil {
		return nil, nil, &ServedError{Account: cfg.Name, Other: other.name}
	}
	b.schedule.Resize(pollerCount(len(b.accounts.all())))
	return a, b.termsCtx, nil
}

// pollerCount returns how many accounts may be polled at one moment, of so many.
func pollerCount(accounts int) int { return min(max(4, 2*accounts), mostPollers) }

// mostPollers is above what a connection pool and a platform take at once.
const mostPollers = 512

// beginTerm begins a term: it opens the account, and takes up what an earlier one has left. terms is what its term is a part of. It is
// broken off when ctx ends before. ahead is what was read of it already.
func (a *account) beginTerm(ctx, incarnations context.Context, ahead *store.Ahead) error {
	a.turn <- struct{}{}
	defer func() { <-a.turn }()
	if a.leaving.Load() {
		return fmt.Errorf("start account %s: %w", a.name, ErrNotServed)
	}
	a.term, a.die = context.WithCancel(incarnations)
	defer context.AfterFunc(ctx, a.die)() //mutate:term-cut
	reading, read := ahead.WithAnswers(a.term, a.name)
	defer read()
	if err := a.takeUp(reading, ahead != nil); err != nil { //nolint:contextcheck // the life of a term is made above
		return err
	}
	// Only now do the bot's loops see it: a timer that rang before recover would run ahead of what was left pending.
	a.atWork.Store(true)
	a.letAllRun() // what came into its lanes may have been held for suspects that are gone by now, and those let run only what they see
	a.bot.schedule.Add(a.poller)
	a.submitStarts(nil)
	a.bot.timers.wake()
	return nil
}

// takeUp opens the account, and takes up what an earlier term has left.
func (a *account) takeUp(ctx context.Context, ahead bool) error {
	if err := a.bot.store.Begin(ctx, a.name); err != nil {
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	// Before a session is asked for: credentials that another worker has just tried in vain are not tried at once.
	if err := a.waitOutRefusal(ctx); err != nil {
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	if err := a.restore(ctx); err != nil {
		return err
	}
	// Before the poller is made, and the outbox has anything: both heed it.
	if err := a.restoreCareful(ctx); err != nil {
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	// Before anything of it is looked at. What is decided from here on is decided by this clock.
	if err := a.pullIn(ctx); err != nil { //mutate:pull-in
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	if err := a.open(ctx); err != nil {
		return err
	}
	if err := a.recoverEarlier(ctx); err != nil {
		return fmt.Errorf("start account %s: %w", a.name, err)
	}
	if ahead {
		a.poller.Load(ctx)
	}
	return nil
}

// beginWork lets a loop of the bot work on an account, nil for none; false when its term has not begun, or ends. leave must
// follow, or the term cannot end.
func (a *account) beginWork() bool { return a != nil && a.atWork.Load() && a.workers.Begin() }

// endWork ends what enter began.
func (a *account) endWork() { a.workers.End() }

// eachAtWork calls f with each account whose term has begun, and does not end.
func (b *Bot) eachAtWork(f func(a *account)) {
	for _, a := range b.accounts.all() {
		if a.beginWork() {
			f(a)
			a.endWork()
		}
	}
}

// giveUp ends the terms of accounts: turns, then requests, then what is to be stored.
func (b *Bot) giveUp(ctx context.Context, leaving ...*account) {
	deadline, done := context.WithTimeout(ctx, b.cfg.DrainTimeout)
	defer done()
	for _, a := range leaving {
		// All at once, before any is waited for: DrainTimeout is for all of them together.
		a.workers.Stop() //mutate:term-turns
	}
	for _, a := range leaving {
		if a.poller != nil {
			b.schedule.Remove(a.poller)
		}
	}
	if !awaitAll(deadline, leaving) {
		b.log.Warn("handlers are still running; what they decide is not taken any more")
	}
	_ = b.store.MarkNow(deadline) // whether everything is stored shows at the end
	if !drainAll(deadline, leaving) {
		b.log.Warn("requests are still running; they are reconciled at the next start")
	}
	for _, a := range leaving {
		if a.die != nil {
			// Requests first, by their deadline; what is cut here is in doubt, and costs a reconciliation at the next start.
			a.die()
		}
	}
	last, done2 := context.WithTimeout(context.WithoutCancel(ctx), b.cfg.DrainTimeout)
	defer done2()
	drainAll(last, leaving) // those that were cut are over at once
	for _, a := range leaving {
		// After the last request, before the last mark: it tells the next term how much of the account's pace is used up.
		a.keepSpent()
	}
	if err := b.store.MarkNow(last); err != nil {
		b.log.Error("not everything could be stored; it is read again at the next start", "err", err)
	}
	for _, a := range leaving {
		if err := a.broker.Wait(last); err != nil {
			b.log.Warn("a sign-in was still under way", "account", a.name)
		}
	}
}

// awaitAll waits until nothing works on accounts any more; false when ctx is done before.
func awaitAll(ctx context.Context, leaving []*account) bool {
	for _, a := range leaving {
		select {
		case <-a.workers.Stop():
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// drainAll waits until nothing of accounts is on its way any more; false when ctx is done before.
func drainAll(ctx context.Context, leaving []*account) bool {
	var late atomic.Bool
	var all conc.WaitGroup
	for _, a := range leaving {
		//mutate:term-drain
		all.Go(func() {
			if a.outbox.Drain(ctx) != nil {
				late.Store(true)
			}
		})
	}
	all.Wait()
	return !late.Load()
}

// forgetTerm leaves nothing behind of an account whose term has ended, but who it is.
func (b *Bot) forgetTerm(a *account) {
	a.workers.Stop() // of one that has never begun
	b.accounts.remove(a)
	if g := b.suspects.Load(); g != nil {
		g.leaveAccount(a.name)
	}
	a.lanes.each(b.forgetLane)
	a.lanes.clear()
	for _, other := range b.accounts.all() {
		other.withoutTwin(a.name)
	}
	b.counted.forgetAccount(a.name)
	b.schedule.Resize(pollerCount(len(b.accounts.all())))
	b.nudges.wake() // what waits for it goes
}

// tryUntilTaken begins the term of an account that could not be taken up, when it can be, with pauses in between. It ends with
// ctx, and when the account is removed.
func (b *Bot) tryUntilTaken(ctx, incarnations context.Context, a *account) {
	for pause := termPause; ; pause = min(2*pause, longestTermPause) {
		_ = lifecycle.Sleep(ctx, pause)
		if ctx.Err() != nil || !b.waitStored(ctx) { //mutate:term-again-cut
			return
		}
		// A new one: what was stopped of the term that failed does not begin again.
		fresh := b.newAccount(a.cfg, a.site)
		if !b.accounts.replace(a, fresh) {
			return
		}
		fresh.limitPublishing(a.publishing.Load()) // it may have been put in force meanwhile
		a = fresh
		err := a.beginTerm(ctx, incarnations, nil)
		if err == nil {
			b.orphans.adoptLater(a.name)
			b.log.Info("the account could be taken up", "account", a.name)
			return
		}
		b.giveUp(incarnations, a)
		if isAnother(err) {
			b.tellParked(a.name, err)
			return
		}
	}
}

const (
	termPause        = 10 * time.Second // until an account that could not be taken up is tried again
	longestTermPause = 2 * time.Minute
)
