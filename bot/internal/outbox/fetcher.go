package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/internal/reason"
)

// fetcher moves stored due actions into the queues as fast as room and pace allow. It runs only while
// there are any whose time has come; an alarm starts it for the others.
type fetcher struct {
	wake     chan struct{}
	failures int // of the store, in a row
}

// lookAgain is how often the fetcher looks for other work while something stored has to wait for more
// than its time.
const lookAgain = time.Second

// wakeLocked wakes the fetcher, if it runs.
func (a *Account) wakeLocked() {
	if a.fetcher == nil {
		return
	}
	select {
	case a.fetcher.wake <- struct{}{}:
	default:
	}
}

// startFetcherLocked starts the account's fetcher, or wakes it.
func (a *Account) startFetcherLocked(ctx context.Context) {
	a.wakeLocked()
	if a.fetcher != nil || a.halted.Load() || a.early.Load() || !a.workers.Begin() {
		return
	}
	if a.alarm != nil {
		a.alarm.Stop()
		a.alarm = nil
	}
	a.fetcher = &fetcher{wake: make(chan struct{}, 1)}
	go a.runFetcher(ctx, a.fetcher)
}

// stopFetcherLocked ends the fetcher until the next stored action comes due.
func (a *Account) stopFetcherLocked(ctx context.Context) {
	a.fetcher = nil
	if a.nextDue.IsZero() || a.workers.IsStopped() {
		return
	}
	a.alarm = time.AfterFunc(min(time.Until(a.nextDue), clockCheck), func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.startFetcherLocked(ctx)
	})
}

func (a *Account) runFetcher(ctx context.Context, p *fetcher) {
	defer a.workers.End()
	for !a.workers.IsStopped() && ctx.Err() == nil {
		ctx := a.dispatcher.yield(ctx, func() string { return fmt.Sprintf("fetch %s", a.cfg.Account) })
		wait, err := a.fetchOnce(ctx, p)
		if err != nil {
			wait = a.storeFailed(ctx, p, err)
		}
		switch {
		case wait == ended:
			return
		case wait == untilWoken:
			a.workers.WaitFor(ctx, p.wake)
		case wait > 0:
			lifecycle.Wait(ctx, wait, p.wake, a.workers.Stopping())
		}
	}
}

// storeFailed returns how long to wait after the store failed.
func (a *Account) storeFailed(ctx context.Context, p *fetcher, err error) time.Duration {
	if p.failures++; p.failures == 1 && ctx.Err() == nil {
		a.dispatcher.cfg.Log.Error("cannot take due actions from the store; trying again", "account", a.cfg.Account, "err", err)
	}
	return lookAgain
}

// What the fetcher may do other than wait for a time.
const (
	ended      time.Duration = -1 // stop running
	untilWoken time.Duration = -2
)

// fetchOnce moves what may go, and returns how long to wait before the next time.
func (a *Account) fetchOnce(ctx context.Context, p *fetcher) (time.Duration, error) {
	ps, wait := a.newScan(ctx)
	if ps == nil {
		return wait, nil
	}
	if err := a.surveyPublished(ctx); err != nil {
		return 0, err
	}
	most := min(ps.room, a.dispatcher.cfg.Window)
	for {
		due, err := a.dueNow(ctx, ps, most)
		if err != nil {
			return 0, err
		}
		chosen := a.chooseDue(ps, &due)
		if err := a.enqueueChosen(ctx, ps, chosen); err != nil {
			return 0, err
		}
		if err := a.explainWaiting(ctx, ps); err != nil {
			return 0, err
		}
		if len(chosen) > 0 {
			p.failures = 0
		}
		switch {
		case ps.spent:
			return ps.wait, nil
		case ps.room <= 0, a.workers.IsStopped():
			return 0, nil
		case due.all:
			return a.rest(ctx, p, ps)
		}
		// What had to stay comes again; look beyond it.
		most = min(ps.room, a.dispatcher.cfg.Window) + 2*ps.stayed
	}
}

// newScan begins a scan; nil when there is nothing to do now, with how long to wait.
func (a *Account) newScan(ctx context.Context) (*scan, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	due := a.storeTimeLocked(now)
	room := a.mostSending - a.sending
	switch {
	case a.halted.Load():
		a.fetcher = nil // Resume starts another
		return nil, ended
	case a.nextDue.IsZero() || a.nextDue.After(due):
		a.stopFetcherLocked(ctx)
		return nil, ended
	case a.breaker.probeTime(false).After(now):
		return nil, a.breaker.probeTime(false).Sub(now)
	case room <= 0, a.breaker.open && a.sending > 0:
		return nil, untilWoken
	case a.breaker.open:
		room = 1 // it is to find out
	}
	queued := false
	if wait := a.pace.wait(now); wait > 0 {
		// What is stuck is tried or read again and again, and has each token before it is there. What is due has to queue for one, too, or it
		// never gets any.
		if queued = a.onlyStuckLocked(); !queued { //mutate:fetch-queued
			return nil, wait
		}
		room = 1
	}
	return &scan{now: now, due: due, room: room, queued: queued, written: a.written, peers: a.fullPeersLocked()}, 0
}

// onlyStuckLocked reports whether something is on its way, and none of it gets on.
func (a *Account) onlyStuckLocked() bool {
	if a.sending > 0 {
		return false
	}
	for _, q := range a.queues {
		if q.stuck {
			return true
		}
	}
	return false
}

// rest finds out what is left in the store after everything that may go has gone.
func (a *Account) rest(ctx context.Context, p *fetcher, ps *scan) (time.Duration, error) {
	next, err := a.dispatcher.cfg.Ledger.NextDue(ctx, a.cfg.Account)
	if err != nil {
		return 0, fmt.Errorf("read the next due action: %w", err)
	}
	unseen := next
	if !next.IsZero() && !next.After(ps.due) { // something had to stay
		if unseen, err = a.soon(ctx, ps); err != nil {
			return 0, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// Something was stored as due while the scan read. Whether it has seen that nobody knows, and what rest would note may be too late for it.
	if a.written != ps.written {
		return 0, nil
	}
	p.failures = 0
	a.nextDue = next
	a.stored = stored{counts: ps.kept, shut: ps.peers, seen: ps.due, unseen: unseen}
	switch {
	case next.IsZero() || next.After(ps.due):
		a.stopFetcherLocked(ctx)
		return ended, nil
	case ps.stayed == 0 && len(ps.peers) == 0:
		return 0, nil // it came due meanwhile
	}
	wait := ps.pause()
	if d := unseen.Sub(ps.due); d > 0 {
		wait = min(wait, d)
	} else {
		wait = min(wait, lookAgain)
	}
	return wait, nil
}

// soon returns when the next action comes due that the scan has not seen, or a time before that. The
// store does not tell it while something due has to stay there.
func (a *Account) soon(ctx context.Context, ps *scan) (time.Time, error) {
	most, until := ps.stayed+a.dispatcher.cfg.Window, ps.due.Add(ps.pause())
	due, err := a.dispatcher.cfg.Ledger.DueActions(ctx, a.cfg.Account, until, ps.readPeers(), most)
	switch {
	case err != nil:
		return until, fmt.Errorf("read what comes due soon: %w", err)
	case len(due) == most: // there may be more
		return ps.due, nil
	}
	for i := range due {
		if t := due[i].Due; t.After(ps.due) && t.Before(until) {
			until = t
		}
	}
	return until, nil
}

// enqueueChosen stores chosen actions as sending and puts them into their queues.
func (a *Account) enqueueChosen(ctx context.Context, ps *scan, chosen []event.Action) error {
	if len(chosen) == 0 {
		return nil
	}
	waited := make(map[string]*stood, len(chosen)) // by their keys
	for i := range chosen {
		action := &chosen[i]
		waited[action.Key] = a.sinceStop(action.Position)
		if reason.OfAction(action).Code() == reason.Crowded {
			action.Reason = ""
		}
		ChangeState(action, event.StateSending)
		action.LeftAt, action.Position = ps.now, a.dispatcher.cfg.Ledger.NextPosition()
	}
	// Stored before any of them is in a queue: what left while the store has it as due would leave again after a crash.
	// What was due a moment ago may have been withdrawn: the others, whose tokens are taken, go without it.
	out, err := a.markThose(ctx, chosen, MarkOf)
	if err != nil {
		err = fmt.Errorf("mark due actions as sending: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range out {
		q := a.queueLocked(&out[i])
		a.stored.noteDeparture(&out[i])
		paid := true
		if ps.unpaid[out[i].Key] { //mutate:fetcher-unpaid
			paid = false // although the queue may have got on meanwhile
		}
		a.enqueueLocked(ctx, q, &delivery{Action: out[i], stood: waited[out[i].Key]}, paid)
	}
	a.dropUpcomingLocked(chosen, out)
	for i := range chosen {
		q := a.queueLocked(&chosen[i])
		q.fetched--
		// The context ended with the mark on its way, so it may be stored all the same: given back, what stands behind would leave before it.
		q.unclear = q.unclear || err != nil && ctx.Err() != nil
		a.abandonLocked(q)
	}
	return err
}

// markThose stores marks of actions, in one commit where it can be, and returns those that were stored: without those
// that have ended meanwhile.
func (a *Account) markThose(ctx context.Context, out []event.Action, mark func(*event.Action) Mark) ([]event.Action, error) {
	if len(out) == 0 {
		return nil, nil
	}
	marks := make([]Mark, len(out))
	for i := range out {
		marks[i] = mark(&out[i])
	}
	err := a.dispatcher.cfg.Ledger.MarkNow(ctx, marks...)
	switch {
	case err == nil:
		return out, nil
	case !errors.Is(err, ErrEnded):
		return nil, err
	case len(out) == 1:
		return nil, nil
	}
	// One that has ended lets the whole commit be refused, and the error does not say which: halves find it in a few commits.
	half := len(out) / 2
	first, err := a.markThose(ctx, out[:half], mark)
	if err != nil {
		return first, err
	}
	second, err := a.markThose(ctx, out[half:], mark)
	return slices.Concat(first, second), err
}

const (
	// clockCheck is how often a wait for a time of day looks at the clock again: it may have been set,
	// and timers stand still while a machine sleeps.
	clockCheck = time.Minute

	aheadPage = 1024 // actions that are corrected in one commit
)

// DueAnew notes that stored actions come due earlier than was known. The context is that of the account outbox's whole lifetime.
func (a *Account) DueAnew(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dueAtLocked(a.storeTimeLocked(time.Now()), true)
	a.startFetcherLocked(ctx)
}

// catchUp makes actions due now that were due at once when they were decided, by a clock that has been
// set back since: they would wait until it is that late again, and what is decided from here on would
// leave before them. They keep their order, behind what is due already.
func (a *Account) catchUp(ctx context.Context, now time.Time) error {
	last, corrected := now.Round(0), 0
	for {
		ahead, err := a.dispatcher.cfg.Ledger.ActionsAhead(ctx, a.cfg.Account, last, aheadPage)
		if err != nil {
			return fmt.Errorf("look for actions of a later clock: %w", err)
		}
		if len(ahead) == 0 {
			break
		}
		marks := make([]Mark, len(ahead))
		for i := range ahead { // what is due between last and the page's end is late enough as it is
			last = last.Add(time.Microsecond)
			if last.Before(ahead[i].Due) {
				ahead[i].Due = last
			}
			marks[i] = MarkOf(&ahead[i])
		}
		if err := a.dispatcher.cfg.Ledger.MarkNow(ctx, marks...); err != nil {
			return fmt.Errorf("correct actions of a later clock: %w", err)
		}
		corrected += len(ahead)
	}
	if corrected == 0 {
		return nil
	}
	a.mu.Lock()
	a.lastDue = last //mutate:last-due
	a.mu.Unlock()
	a.dispatcher.cfg.Log.Warn("the clock has been set back since actions were decided; they are due now",
		"account", a.cfg.Account, "actions", corrected)
	return nil
}
