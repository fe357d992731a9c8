package outbox

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// Account is the outbox of one account.
type Account struct {
	// Set by Dispatcher.Open.
	dispatcher *Dispatcher
	cfg        AccountConfig
	workers    *lifecycle.Group // its goroutines, and the end of all waiting
	pace       *pacer
	room       int // how many actions may be sending at a time

	rewrites, nameless trait
	halted, strict     atomic.Bool                // nothing leaves, not even what is owed; see Halt and Pause
	early              atomic.Bool                // see Wait
	shut               atomic.Bool                // the breaker is open
	limit              atomic.Pointer[Publishing] // of what is published; nil: there is none
	stood              atomic.Pointer[stood]      // when it went on last
	copied             atomic.Pointer[Copied]     // a copy was put back; nil: none
	posts              struct {
		sync.Mutex            // guards the fields below
		ids        leap.Level // of posts and replies
	}

	mu           sync.Mutex // guards the fields below, and those of the queues
	queues       map[orderingKey]*queue
	sending      int       // actions marked as sending, without those of stuck queues
	lastDue      time.Time // the latest time given to an action that is due at once; see storeTimeLocked
	nextDue      time.Time // when the next stored action comes due; zero: there is none
	written      int       // counts what was stored as due
	stored       stored    // what is known of it
	wasKnown     bool      // what left the store last was of a conversation in which the bot had spoken before
	turns        room      // turns that decide at the moment, and those that wait for room
	reservations int       // those that have not ended
	fetcher      *fetcher  // runs while something stored may go
	alarm        *time.Timer
	breaker      breaker
	streak       streak
	answers      int // counts calls that were answered
	held         map[orderingKey][]held
	dates        dates
	debts        map[string]*time.Timer // reposts that are owed, by the key of their action
	unnamed      map[event.Verb]int     // how many answers in a row named nothing, and were true
	space        space                  // kept while there is one
	ages         map[*delivery]*aging   // of what is in doubt
	aging        bool                   // a goroutine brings them up to date
}

// Recover takes up what an earlier incarnation left: action in doubt are reconciled, due ones sent. The context
// is that of the account outbox's whole lifetime, as it is for Enqueue.
func (b *Account) Recover(ctx context.Context) error {
	b.goesOn()
	open, err := b.dispatcher.cfg.Ledger.Open(ctx, b.cfg.Account)
	if err != nil {
		return fmt.Errorf("read the unsettled actions of %s: %w", b.cfg.Account, err)
	}
	ages, err := b.dispatcher.cfg.Ledger.Ages(ctx, b.cfg.Account)
	if err != nil {
		return fmt.Errorf("read since when actions of %s are in doubt: %w", b.cfg.Account, err)
	}
	now := time.Now() // what the earlier incarnation sent left before this
	if err := b.restore(ctx); err != nil {
		return err
	}
	if err := b.catchUp(ctx, now); err != nil { //mutate:catch-up
		return err
	}
	until, err := b.lapseAll(ctx) //mutate:until-start
	if err != nil {               //mutate:until-start-lasts
		until = time.Now().Add(lookAgain) // the disk takes nothing now, which is no reason not to start
	}
	next, err := b.dispatcher.cfg.Ledger.NextDue(ctx, b.cfg.Account)
	if err != nil {
		return fmt.Errorf("read the due actions of %s: %w", b.cfg.Account, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.lastLeft(open)
	waits := map[orderingKey]bool{} // queues of which something has not left: what is behind it has not either
	for i := range open {           //mutate:recover-open
		it := b.recoveredLocked(ctx, &open[i], ages, now, waits, left[i])
		q := b.queueLocked(&it.Action)
		b.owesLocked(ctx, it)
		b.pushLocked(ctx, q, it)
		b.surrenderLocked(q)
	}
	b.dispatcher.cfg.Recorder.Begin(recorder.Served, string(b.cfg.Account), "") // behind all that may have left
	if !until.IsZero() {
		b.dateAtLocked(ctx, until)
	}
	if !next.IsZero() {
		b.dueAtLocked(next, true)
		b.startFetcherLocked(ctx)
	}
	return nil
}

// recoveredLocked takes up an action of an earlier incarnation, which may have left or not. Of the queues in waits something has not left.
func (b *Account) recoveredLocked(ctx context.Context, a *event.Action, ages map[string]Age, now time.Time, waits map[orderingKey]bool, left bool) *delivery {
	// Its request may have left in the last moment of the incarnation that ended, and be worked on for as long as any other.
	//mutate:recover-in-doubt
	it := &delivery{Action: *a, inDoubt: true, earlier: true, old: true, undoneAt: now}
	var age Age
	age, it.aged = ages[it.Key] //mutate:age-found
	it.gaveUp = b.dispatcher.cfg.gaveUpAt(age, it.aged, now)
	if it.Verb.Makes() && leap.Over(0, it.ReconcileFrom) { // of a version that believed every id
		it.ReconcileFrom = unknown
	}
	key := keyOf(&it.Action)
	if it.ReconcileFrom == 0 && (it.Verb.Makes() || it.Verb == event.VerbRenew) { // it gets one before it leaves
		it.State, it.inDoubt, waits[key] = event.StateSending, false, true
	}
	if waits[key] && it.Verb.Makes() && it.State == event.StateSending {
		it.inDoubt = false
	}
	if b.recordAgain(it, left); it.inDoubt {
		b.ageLocked(ctx, it, 0)
	}
	return it
}

// storeTimeLocked returns now, but never less than what it was for an action: the store orders by it, and
// clocks are set back.
func (b *Account) storeTimeLocked(now time.Time) time.Time {
	if now = now.Round(0); now.After(b.lastDue) {
		return now
	}
	return b.lastDue
}

// mayLeaveLocked reports whether nothing stands before a, and takes its token. What only concerns its queue
// delays no other; what concerns the account makes everything new wait its turn in the store. In a queue that does not
// get on, it has no token: it pays when it leaves.
func (b *Account) mayLeaveLocked(q *queue, a *event.Action, now time.Time) (may, paid bool) {
	switch {
	case b.limits(a): // the fetcher looks at what was published before
		return false, false
	case b.workers.Stopped() || q.writing > 0 || b.fullLocked(q, 0) || b.stored.before(a):
		return false, false
	case b.behindLocked(now) || b.sending >= b.room:
		// From here on everything new goes through the store, until the fetcher has caught up: it would overtake what waits there.
		b.stored.all = true
		return false, false
	}
	b.setBaselineLocked(q, a)
	if q.stuck {
		return true, false
	}
	_, by := b.pace.take(a, now)
	b.stored.all = by == byAccount
	return by == byNothing, true
}

// behindLocked reports whether something of the account waits for the pace, for room, or for the platform to
// come back, or whether something came due that the fetcher has not seen yet.
func (b *Account) behindLocked(now time.Time) bool {
	return b.stored.all || b.halted.Load() || b.early.Load() || !b.breaker.closed() || b.stored.unseenAt(b.storeTimeLocked(now))
}

// freedLocked wakes what may wait for room.
func (b *Account) freedLocked() {
	b.wakeLocked()
	b.letInLocked()
}

// dueAtLocked notes that something stored comes due at t.
func (b *Account) dueAtLocked(t time.Time, unseen bool) {
	earliest(&b.nextDue, t)
	if unseen {
		earliest(&b.stored.unseen, t)
	}
}

// earliest makes t what comes first; zero is never.
func earliest(t *time.Time, other time.Time) {
	if t.IsZero() || other.Before(*t) {
		*t = other
	}
}
