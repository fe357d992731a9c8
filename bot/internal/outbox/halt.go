package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// HaltAll lets nothing of the account leave any more, until Resume: what has not left waits in the store, as due. A
// request that is out is out, as is a like whose state is being read, and what is in doubt is still reconciled. It may be called before Recover.
func (a *Account) HaltAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.halted.Store(true)
	a.strict.Store(true)
	a.freedLocked() // those who wait for room need not
}

// Pause is HaltAll, but what a renewal owes still leaves, unless the account was halted before.
func (a *Account) Pause() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.halted.Store(true)
	a.freedLocked()
}

// OnlyPaused makes what HaltAll began a pause.
func (a *Account) OnlyPaused() { a.strict.Store(false) }

// Resume ends what HaltAll began: what waits leaves in its order. The context is that of the account outbox's whole lifetime.
func (a *Account) Resume(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.strict.Store(false)
	if !a.halted.Load() {
		return
	}
	a.goesOn()
	a.halted.Store(false)
	a.dueAtLocked(a.storeTimeLocked(time.Now()), true) // nothing new goes before what waits
	a.startFetcherLocked(ctx)
}

// DeferStored, before Recover, keeps what an earlier incarnation has decided, and what is decided now, in the store until ReleaseStored: people
// may have asked for something else since. What has been on its way is taken up, and reconciled.
func (a *Account) DeferStored() { a.early.Store(true) }

// ReleaseStored ends what DeferStored began. The context is that of the account outbox's whole lifetime.
func (a *Account) ReleaseStored(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.early.Load() {
		a.goesOn()
		a.early.Store(false)
		a.dueAtLocked(a.storeTimeLocked(time.Now()), true) // nothing new goes before what waits
		a.startFetcherLocked(ctx)
	}
}

// putQueueBack puts back what stands at the head of a queue and has not left, unless the account outbox ends first.
func (a *Account) putQueueBack(ctx context.Context, q *queue) {
	a.mu.Lock()
	n := 0
	for n < len(q.items) && q.items[n].State == event.StateSending && !q.items[n].hasUndone() {
		n++
	}
	items := q.items[:n:n]
	a.mu.Unlock()
	var behind time.Time
	for i := range items {
		// From behind: each is dated so that it stays before what is behind it.
		a.putBack(items[n-1-i], &behind) //mutate:halt-persist
	}
	// Those marks are lazy, and the store has to know before it is asked what is due. What was revoked until then,
	// while it was not due, must not come to leave.
	if !a.markNow(ctx) || !a.withdrawAllRevoked(ctx, items) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for range n {
		d := q.items[0]
		if !d.Until.IsZero() {
			a.dateAtLocked(ctx, d.Until)
		}
		if d.crowded {
			a.dueAtLocked(a.storeTimeLocked(time.Now()), true)
			a.startFetcherLocked(ctx)
		}
		a.popLocked(q)
	}
}

// withdrawAllRevoked is withdrawRevoked for items that were put back, and stores it. It reports false when the account outbox ends first.
func (a *Account) withdrawAllRevoked(ctx context.Context, items []*delivery) bool {
	var marks []Mark
	for _, d := range items {
		revoked, err := a.withdrawRevoked(ctx, d)
		for ; err != nil; revoked, err = a.withdrawRevoked(ctx, d) {
			if !a.workers.Sleep(ctx, time.Second) {
				return false
			}
		}
		if revoked {
			marks = append(marks, a.markOf(d))
		}
	}
	return len(marks) == 0 || a.markNow(ctx, marks...)
}

// withdrawRevoked withdraws an item that has not left, when it was revoked since it was decided.
func (a *Account) withdrawRevoked(ctx context.Context, d *delivery) (revoked bool, err error) {
	text, err := a.cfg.People.RevokedReason(ctx, &d.Action, d.earlier)
	if err != nil || text == "" { //mutate:revoked
		return false, err
	}
	d.enterText(event.StateWithdrawn, reason.TakenBack, text)
	d.EndedAt = time.Now()
	a.dispatcher.cfg.Listener.ActionEnded(d.Action)
	return true, nil
}

// TakeUpReleased takes up what a commit has let go on: actions that were held are due. The context is that of the account outbox's whole
// lifetime.
func (a *Account) TakeUpReleased(ctx context.Context) {
	a.goesOn()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.written++
	a.dueAtLocked(a.storeTimeLocked(time.Now()), true)
	a.startFetcherLocked(ctx)
}

// What waits in a stop – the account or a rule is paused, another bot was at work, the process was down – may have been answered by somebody
// else meanwhile, however short that was: nothing that was read before its end counts as just read.

// stood is when an account outbox went on last.
type stood struct {
	position int64     // what was decided before that has a lower one
	at       time.Time // by the wall clock, as the store has its times
}

// goesOn notes that a stop ends, before anything may leave again.
func (a *Account) goesOn() {
	a.stood.Store(&stood{a.dispatcher.cfg.Ledger.NextPosition(), time.Now().Round(0)})
}

// sinceStop returns the last stop for what was decided at a position; nil when it has waited in that one.
func (a *Account) sinceStop(position int64) *stood {
	last := a.stood.Load()
	if last != nil && position < last.position { //mutate:stood-looks
		return nil
	}
	return last
}

// StoodSince reports whether nothing might leave at some time after t.
func (a *Account) StoodSince(t time.Time) bool {
	last := a.stood.Load()
	return last != nil && last.at.After(t)
}
