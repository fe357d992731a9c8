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
func (b *Account) wakeLocked() {
	if b.fetcher == nil {
		return
	}
	select {
	case b.fetcher.wake <- struct{}{}:
	default:
	}
}

// startFetcherLocked starts the account's fetcher, or wakes it.
func (b *Account) startFetcherLocked(ctx context.Context) {
	b.wakeLocked()
	if b.fetcher != nil || b.halted.Load() || b.early.Load() || !b.workers.Begin() {
		return
	}
	if b.alarm != nil {
		b.alarm.Stop()
		b.alarm = nil
	}
	b.fetcher = &fetcher{wake: make(chan struct{}, 1)}
	go b.runFetcher(ctx, b.fetcher)
}

// stopFetcherLocked ends the fetcher until the next stored action comes due.
func (b *Account) stopFetcherLocked(ctx context.Context) {
	b.fetcher = nil
	if b.nextDue.IsZero() || b.workers.Stopped() {
		return
	}
	b.alarm = time.AfterFunc(min(time.Until(b.nextDue), clockCheck), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.startFetcherLocked(ctx)
	})
}

func (b *Account) runFetcher(ctx context.Context, p *fetcher) {
	defer b.workers.End()
	for !b.workers.Stopped() && ctx.Err() == nil {
		ctx := b.dispatcher.yield(ctx, func() string { return fmt.Sprintf("fetch %s", b.cfg.Account) })
		wait, err := b.fetchOnce(ctx, p)
		if err != nil {
			wait = b.storeFailed(ctx, p, err)
		}
		switch {
		case wait == ended:
			return
		case wait == untilWoken:
			b.workers.Until(ctx, p.wake)
		case wait > 0:
			lifecycle.Wait(ctx, wait, p.wake, b.workers.Stopping())
		}
	}
}

// storeFailed returns how long to wait after the store failed.
func (b *Account) storeFailed(ctx context.Context, p *fetcher, err error) time.Duration {
	if p.failures++; p.failures == 1 && ctx.Err() == nil {
		b.dispatcher.cfg.Log.Error("cannot take due actions from the store; trying again", "account", b.cfg.Account, "err", err)
	}
	return lookAgain
}

// What the fetcher may do other than wait for a time.
const (
	ended      time.Duration = -1 // stop running
	untilWoken time.Duration = -2
)

// fetchOnce moves what may go, and returns how long to wait before the next time.
func (b *Account) fetchOnce(ctx context.Context, p *fetcher) (time.Duration, error) {
	ps, wait := b.newScan(ctx)
	if ps == nil {
		return wait, nil
	}
	if err := b.survey(ctx); err != nil {
		return 0, err
	}
	most := min(ps.room, b.dispatcher.cfg.Window)
	for {
		due, err := b.dueNow(ctx, ps, most)
		if err != nil {
			return 0, err
		}
		chosen := b.choose(ps, &due)
		if err := b.release(ctx, ps, chosen); err != nil {
			return 0, err
		}
		if err := b.explain(ctx, ps); err != nil {
			return 0, err
		}
		if len(chosen) > 0 {
			p.failures = 0
		}
		switch {
		case ps.spent:
			return ps.wait, nil
		case ps.room <= 0, b.workers.Stopped():
			return 0, nil
		case due.all:
			return b.rest(ctx, p, ps)
		}
		// What had to stay comes again; look beyond it.
		most = min(ps.room, b.dispatcher.cfg.Window) + 2*ps.stayed
	}
}

// newScan begins a scan; nil when there is nothing to do now, with how long to wait.
func (b *Account) newScan(ctx context.Context) (*scan, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	due := b.storeTimeLocked(now)
	room := b.room - b.sending
	switch {
	case b.halted.Load():
		b.fetcher = nil // Resume starts another
		return nil, ended
	case b.nextDue.IsZero() || b.nextDue.After(due):
		b.stopFetcherLocked(ctx)
		return nil, ended
	case b.breaker.opens(false).After(now):
		return nil, b.breaker.opens(false).Sub(now)
	case room <= 0, !b.breaker.closed() && b.sending > 0:
		return nil, untilWoken
	case !b.breaker.closed():
		room = 1 // it is to find out
	}
	queued := false
	if wait := b.pace.wait(now); wait > 0 {
		// What is stuck is tried or read again and again, and has each token before it is there. What is due has to queue for one, too, or it
		// never gets any.
		if queued = b.onlyStuckLocked(); !queued { //mutate:fetch-queued
			return nil, wait
		}
		room = 1
	}
	return &scan{now: now, due: due, room: room, queued: queued, written: b.written, peers: b.fullPeersLocked()}, 0
}

// onlyStuckLocked reports whether something is on its way, and none of it gets on.
func (b *Account) onlyStuckLocked() bool {
	if b.sending > 0 {
		return false
	}
	for _, q := range b.queues {
		if q.stuck {
			return true
		}
	}
	return false
}

// rest finds out what is left in the store after everything that may go has gone.
func (b *Account) rest(ctx context.Context, p *fetcher, ps *scan) (time.Duration, error) {
	next, err := b.dispatcher.cfg.Ledger.NextDue(ctx, b.cfg.Account)
	if err != nil {
		return 0, fmt.Errorf("read the next due action: %w", err)
	}
	unseen := next
	if !next.IsZero() && !next.After(ps.due) { // something had to stay
		if unseen, err = b.soon(ctx, ps); err != nil {
			return 0, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	// Something was stored as due while the scan read. Whether it has seen that nobody knows, and what rest would note may be too late for it.
	if b.written != ps.written {
		return 0, nil
	}
	p.failures = 0
	b.nextDue = next
	b.stored = stored{counts: ps.kept, shut: ps.peers, seen: ps.due, unseen: unseen}
	switch {
	case next.IsZero() || next.After(ps.due):
		b.stopFetcherLocked(ctx)
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
func (b *Account) soon(ctx context.Context, ps *scan) (time.Time, error) {
	most, until := ps.stayed+b.dispatcher.cfg.Window, ps.due.Add(ps.pause())
	due, err := b.dispatcher.cfg.Ledger.Due(ctx, b.cfg.Account, until, ps.except(), most)
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

// release marks chosen actions as sending and hands them to their queues.
func (b *Account) release(ctx context.Context, ps *scan, chosen []event.Action) error {
	if len(chosen) == 0 {
		return nil
	}
	waited := make(map[string]*stood, len(chosen)) // by their keys
	for i := range chosen {
		a := &chosen[i]
		waited[a.Key] = b.sinceStop(a.Position)
		if reason.Of(a).Code() == reason.Crowded {
			a.Reason = ""
		}
		Enter(a, event.StateSending)
		a.LeftAt, a.Position = ps.now, b.dispatcher.cfg.Ledger.Position()
	}
	// Stored before any of them is in a queue: what left while the store has it as due would leave again after a crash.
	out, err := b.markSending(ctx, chosen)
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range out {
		q := b.queueLocked(&out[i])
		b.stored.leave(&out[i])
		it := &delivery{Action: out[i], ticket: b.ticketLocked(q), old: true, stood: waited[out[i].Key]}
		if ps.unpaid[it.Key] { //mutate:fetcher-unpaid
			it.ticket = 0 // although the queue may have got on meanwhile
		}
		b.pushLocked(ctx, q, it)
	}
	b.notOutLocked(chosen, out)
	for i := range chosen {
		q := b.queueLocked(&chosen[i])
		q.released--
		// The context ended with the mark on its way, so it may be stored all the same: given back, what stands behind would leave before it.
		q.doubtful = q.doubtful || err != nil && ctx.Err() != nil
		b.surrenderLocked(q)
	}
	return err
}

// markSending stores actions as sending, in one commit where it can be, and returns those that are.
// What was due a moment ago may have been withdrawn: the others, whose tokens are taken, go without it.
func (b *Account) markSending(ctx context.Context, out []event.Action) ([]event.Action, error) {
	stored, err := b.markThose(ctx, out, MarkOf)
	if err != nil {
		return stored, fmt.Errorf("mark due actions as sending: %w", err)
	}
	return stored, nil
}

// markThose stores marks of actions, in one commit where it can be, and returns those that were stored: without those
// that have ended meanwhile.
func (b *Account) markThose(ctx context.Context, out []event.Action, mark func(*event.Action) Mark) ([]event.Action, error) {
	if len(out) == 0 {
		return nil, nil
	}
	marks := make([]Mark, len(out))
	for i := range out {
		marks[i] = mark(&out[i])
	}
	err := b.dispatcher.cfg.Ledger.MarkNow(ctx, marks...)
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
	first, err := b.markThose(ctx, out[:half], mark)
	if err != nil {
		return first, err
	}
	second, err := b.markThose(ctx, out[half:], mark)
	return slices.Concat(first, second), err
}
