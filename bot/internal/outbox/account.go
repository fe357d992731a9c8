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
	dispatcher  *Dispatcher
	cfg         AccountConfig
	workers     *lifecycle.Group // its goroutines, and the end of all waiting
	pace        *pacer
	mostSending int // at a time

	rewrites, nameless trait
	halted, strict     atomic.Bool                // nothing leaves, not even what is owed; see HaltAll and Pause
	early              atomic.Bool                // see DeferStored
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

// Recover takes up what an earlier incarnation left: actions in doubt are reconciled, due ones sent. The context
// is that of the account outbox's whole lifetime, as it is for Reservation.Commit.
func (a *Account) Recover(ctx context.Context) error {
	a.goesOn()
	open, err := a.dispatcher.cfg.Ledger.Open(ctx, a.cfg.Account)
	if err != nil {
		return fmt.Errorf("read the unsettled actions of %s: %w", a.cfg.Account, err)
	}
	ages, err := a.dispatcher.cfg.Ledger.DoubtAges(ctx, a.cfg.Account)
	if err != nil {
		return fmt.Errorf("read since when actions of %s are in doubt: %w", a.cfg.Account, err)
	}
	now := time.Now() // what the earlier incarnation sent left before this
	if err := a.restore(ctx); err != nil {
		return err
	}
	if err := a.catchUp(ctx, now); err != nil { //mutate:catch-up
		return err
	}
	until, err := a.lapseAll(ctx) //mutate:until-start
	if err != nil {               //mutate:until-start-lasts
		until = time.Now().Add(lookAgain) // the disk takes nothing now, which is no reason not to start
	}
	next, err := a.dispatcher.cfg.Ledger.NextDue(ctx, a.cfg.Account)
	if err != nil {
		return fmt.Errorf("read the due actions of %s: %w", a.cfg.Account, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.lastLeft(open)
	waits := map[orderingKey]bool{} // queues of which something has not left: what is behind it has not either
	for i := range open {           //mutate:recover-open
		d := a.recoveredLocked(ctx, &open[i], ages, now, waits, left[i])
		a.owesLocked(ctx, d)
		a.enqueueLocked(ctx, a.queueLocked(&d.Action), d, false)
	}
	a.dispatcher.cfg.Recorder.Begin(recorder.Served, string(a.cfg.Account), "") // behind all that may have left
	if !until.IsZero() {
		a.dateAtLocked(ctx, until)
	}
	if !next.IsZero() {
		a.dueAtLocked(next, true)
		a.startFetcherLocked(ctx)
	}
	return nil
}

// recoveredLocked takes up an action of an earlier incarnation, which may have left or not. Of the queues in waits something has not left.
func (a *Account) recoveredLocked(ctx context.Context, action *event.Action, ages map[string]Age, now time.Time, waits map[orderingKey]bool, left bool) *delivery {
	d := &delivery{Action: *action, earlier: true, undoneAt: now}
	var age Age
	age, d.aged = ages[d.Key] //mutate:age-found
	d.gaveUp = a.dispatcher.cfg.gaveUpAt(age, d.aged, now)
	if d.Verb.Makes() && leap.IsLeap(0, d.ReconcileFrom) { // of a version that believed every id
		d.ReconcileFrom = unknown
	}
	switch key := keyOf(&d.Action); {
	case d.ReconcileFrom == 0 && d.Verb.Makes() || d.Verb == event.VerbRenew && !OwesRepost(&d.Action): // that is stored before it leaves
		waits[key] = true
		ChangeState(&d.Action, event.StateSending)
	case !left, waits[key] && d.Verb.Makes() && d.State == event.StateSending:
		ChangeState(&d.Action, event.StateSending)
	default:
		// Its request may have left in the last moment of the incarnation that ended, and be worked on for as long as any other.
		ChangeState(&d.Action, event.StateInDoubt)                                          //mutate:recover-in-doubt
		d.slot = a.dispatcher.cfg.Recorder.Begin(recorder.OnWire, string(d.Account), d.Key) //mutate:recorder-again
		a.ageLocked(ctx, d, 0)
	}
	return d
}

// storeTimeLocked returns now, but never less than what it was for an action: the store orders by it, and
// clocks are set back.
func (a *Account) storeTimeLocked(now time.Time) time.Time {
	if now = now.Round(0); now.After(a.lastDue) {
		return now
	}
	return a.lastDue
}

// dueAtLocked notes that something stored comes due at t.
func (a *Account) dueAtLocked(t time.Time, unseen bool) {
	keepEarliest(&a.nextDue, t)
	if unseen {
		keepEarliest(&a.stored.unseen, t)
	}
}

// keepEarliest makes t what comes first; zero is never.
func keepEarliest(t *time.Time, other time.Time) {
	if t.IsZero() || other.Before(*t) {
		*t = other
	}
}

// trait is something that the platform of an account was seen to do, and may do again.
type trait struct {
	atomic.Bool // it was seen
	name        string
	stored      atomic.Bool // that it was
}

// What is remembered of an account.
const (
	// rewrites: the platform turns texts into others. Without that, what a crash left under way would not
	// be recognised, and sent again.
	rewrites = "rewrites"
	// nameless: answers do not tell the id of what was sent. Without that, it would be taken for a later
	// twin that was lost.
	nameless = "nameless"
)

// IsNameless reports whether the platform has answered without naming what was sent: which of two messages with the same words is ours is a guess then.
func (a *Account) IsNameless() bool { return a.nameless.Load() }

// traits lists what is remembered.
func (a *Account) traits() [2]*trait { return [...]*trait{&a.rewrites, &a.nameless} }

// restore takes up what an earlier incarnation knew: the traits, and the messages and posts that are held, or were, so that one
// that shows up is not taken for a person's, or for a later twin.
func (a *Account) restore(ctx context.Context) error {
	for _, t := range a.traits() {
		known, err := a.dispatcher.cfg.Ledger.HasTrait(ctx, a.cfg.Account, t.name)
		if err != nil {
			return fmt.Errorf("read what is known of %s: %w", a.cfg.Account, err)
		}
		t.Store(known)
		t.stored.Store(known)
	}
	held, err := a.dispatcher.cfg.Ledger.HeldActions(ctx, a.cfg.Account, manyHeld)
	if err != nil {
		return fmt.Errorf("read what is held of %s: %w", a.cfg.Account, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range held {
		a.keepHeldLocked(&held[i]) //mutate:take-up-held
	}
	return nil
}

// noteRewritten notes when the platform turns texts into others: what it shows is then no proof that something
// has not been sent.
func (a *Account) noteRewritten(sent, shown string) {
	if shown != "" && !sameText(sent, shown) {
		a.rewrites.Store(true)
	}
}

// storeLearned stores what was learned, before anything else of the queue leaves. It reports false when the
// dispatcher stops first.
func (a *Account) storeLearned(ctx context.Context) bool {
	for _, t := range a.traits() {
		if !t.Load() || t.stored.Load() {
			continue
		}
		if !a.storeUntilDone(ctx, func() error { return a.dispatcher.cfg.Ledger.RememberTrait(ctx, a.cfg.Account, t.name) }) {
			return false
		}
		t.stored.Store(true)
	}
	return true
}

// ReadAhead asks a ledger what Account.Recover asks it of an account: see store.Ahead. What is missing here Recover asks for itself.
func ReadAhead(ctx context.Context, l Ledger, account event.Account) {
	now := time.Now()
	_, _ = l.Open(ctx, account)
	_, _ = l.DoubtAges(ctx, account)
	for _, trait := range [...]string{rewrites, nameless} {
		_, _ = l.HasTrait(ctx, account, trait)
	}
	_, _ = l.HeldActions(ctx, account, manyHeld)
	_, _ = l.ActionsAhead(ctx, account, now, aheadPage)
	_, _ = l.LateActions(ctx, account, now, latePage)
	_, _ = l.NextUntil(ctx, account, now)
	_, _ = l.NextDue(ctx, account)
}

// Drain ends the account outbox: it lets the requests in flight end, gives back what has not left, and returns when nothing runs any
// more or ctx is done. It may be called again, to wait longer. Nothing is left of an account outbox then, also no timer; another one may
// be opened for the account when what this one gave back is stored.
func (a *Account) Drain(ctx context.Context) error {
	quiet := a.workers.Stop()
	a.stopAlarms()
	select {
	case <-quiet:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stopAlarms stops what would only wake up to find that the account outbox has ended.
func (a *Account) stopAlarms() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.alarm != nil {
		a.alarm.Stop()
	}
	if a.dates.alarm != nil {
		a.dates.alarm.Stop()
	}
	for key, timer := range a.debts {
		timer.Stop()
		delete(a.debts, key)
	}
}
