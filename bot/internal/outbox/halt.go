package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Halt lets nothing of the account leave any more, until Resume: what has not left waits in the store, as due. A
// request that is out is out, as is a like whose state is being read, and what is in doubt is still reconciled. It may be called before Recover.
func (b *Account) Halt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halted.Store(true)
	b.strict.Store(true)
	b.freedLocked() // whoever waits for room need not
}

// Pause is Halt, but what a renewal owes still leaves, unless the account was halted before.
func (b *Account) Pause() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.halted.Store(true)
	b.freedLocked()
}

// OnlyPaused makes what Halt began a pause.
func (b *Account) OnlyPaused() { b.strict.Store(false) }

// mayGo reports whether an item may leave as far as its account is concerned.
func (b *Account) mayGo(it *delivery) bool {
	return !b.halted.Load() || it.undone() && !b.strict.Load() //mutate:renew-paused
}

// Resume ends what Halt began: what waits leaves in its order. The context is that of the account outbox's whole lifetime.
func (b *Account) Resume(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.strict.Store(false)
	if !b.halted.Load() {
		return
	}
	b.goesOn()
	b.halted.Store(false)
	b.dueAtLocked(b.storeTimeLocked(time.Now()), true) // nothing new goes before what waits
	b.startFetcherLocked(ctx)
}

// Wait, before Recover, keeps what an earlier incarnation has decided, and what is decided now, in the store until Begin: people
// may have asked for something else since. What has been on its way is taken up, and reconciled.
func (b *Account) Wait() { b.early.Store(true) }

// Begin ends what Wait began. The context is that of the account outbox's whole lifetime.
func (b *Account) Begin(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.early.Load() {
		b.goesOn()
		b.early.Store(false)
		b.dueAtLocked(b.storeTimeLocked(time.Now()), true) // nothing new goes before what waits
		b.startFetcherLocked(ctx)
	}
}

// putBack gives what stands at the head of a queue, and has not left, back to the store. It reports false when the
// dispatcher stops first.
func (b *Account) putBack(ctx context.Context, q *queue) bool {
	b.mu.Lock()
	n := 0
	for n < len(q.items) && q.items[n].State == event.StateSending && !q.items[n].inDoubt && !q.items[n].undone() {
		n++
	}
	items := q.items[:n:n]
	b.mu.Unlock()
	var behind time.Time
	for i := range items {
		// From behind: each is dated so that it stays before what is behind it.
		b.giveBack(items[n-1-i], &behind) //mutate:halt-persist
	}
	// Those marks are lazy, and the store has to know before it is asked what is due. What was taken back until then,
	// while it was not due, must not come to leave.
	if !b.markNow(ctx) || !b.takeBack(ctx, items) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for range n {
		it := q.items[0]
		if !it.Until.IsZero() {
			b.dateAtLocked(ctx, it.Until)
		}
		if it.crowded {
			b.dueAtLocked(b.storeTimeLocked(time.Now()), true)
			b.startFetcherLocked(ctx)
		}
		b.popLocked(q)
	}
	return true
}

// takeBack withdraws those of items that were taken back since they were decided. It reports false when the dispatcher
// stops first.
func (b *Account) takeBack(ctx context.Context, items []*delivery) bool {
	var marks []Mark
	for _, it := range items {
		reason, err := b.cfg.Revoked(ctx, &it.Action, it.earlier)
		for err != nil {
			if !b.workers.Sleep(ctx, time.Second) {
				return false
			}
			reason, err = b.cfg.Revoked(ctx, &it.Action, it.earlier)
		}
		if reason != "" {
			it.takenBack(reason)
			it.EndedAt = time.Now()
			marks = append(marks, b.markOf(it))
			b.dispatcher.cfg.Ended(it.Action)
		}
	}
	return len(marks) == 0 || b.markNow(ctx, marks...)
}
