package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What has a latest departure never leaves after it. The dispatcher looks at the clock on the wall each time before a
// request leaves. What waits, in the store or for a person, is withdrawn when its time comes, also while something keeps it.

// latePage is how many actions are withdrawn in one commit.
const latePage = 256

// isLate reports whether an action must not leave any more.
func isLate(a *event.Action, now time.Time) bool { return !a.Until.IsZero() && !now.Before(a.Until) }

// hasLatestDeparture reports whether an item has a latest departure. One that puts right what an earlier call has undone has none.
func (d *delivery) hasLatestDeparture() bool { return !d.Until.IsZero() && !d.owed && !d.hasUndone() }

// isLate reports whether the request of an item must not leave any more.
func (d *delivery) isLate() bool {
	return d.hasLatestDeparture() && isLate(&d.Action, time.Now())
}

// lateReason is why an item is withdrawn that must not leave any more.
func (d *delivery) lateReason() event.Reason {
	if d.Tries > 0 {
		return reason.TooLateAgain(d.Until)
	}
	return reason.TooLate(d.Until)
}

// dates are the latest departures of what waits. They belong to Account.mu.
type dates struct {
	next  time.Time // the first that is known; zero: there is none
	alarm *time.Timer
	busy  bool // those that are over are being withdrawn
}

// dateAtLocked notes that something waits that has a latest departure.
func (a *Account) dateAtLocked(ctx context.Context, until time.Time) {
	if before := a.dates.next; before.IsZero() || until.Before(before) {
		a.dates.next = until
		a.setAlarmLocked(ctx)
	}
}

// setAlarmLocked wakes the account outbox when the next latest departure is over.
func (a *Account) setAlarmLocked(ctx context.Context) {
	d := &a.dates
	if d.alarm != nil {
		d.alarm.Stop()
		d.alarm = nil
	}
	if d.next.IsZero() || d.busy || a.workers.IsStopped() || ctx.Err() != nil {
		return
	}
	d.alarm = time.AfterFunc(max(0, min(time.Until(d.next), clockCheck)), func() { a.lapseDue(ctx) })
}

// lapseDue withdraws what waits and must not leave any more, if there is something.
func (a *Account) lapseDue(ctx context.Context) {
	a.mu.Lock()
	d := &a.dates
	if d.busy || d.next.IsZero() || !a.workers.Begin() { //mutate:until-lapse
		a.mu.Unlock()
		return
	}
	defer a.workers.End()
	if time.Now().Before(d.next) { // the clock was set, or it is far away
		a.setAlarmLocked(ctx)
		a.mu.Unlock()
		return
	}
	// Forgotten before the store is read: what comes to wait meanwhile notes its own time, and is not lost to this look.
	d.busy, d.next = true, time.Time{}
	a.mu.Unlock()
	ctx2 := a.dispatcher.yield(ctx, func() string { return fmt.Sprintf("late %s", a.cfg.Account) })
	next, err := a.lapseAll(ctx2)
	if err != nil {
		next = time.Now().Add(lookAgain) // the store fails, and says so elsewhere
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	d.busy = false
	if !next.IsZero() {
		keepEarliest(&d.next, next)
	}
	a.setAlarmLocked(ctx)
}

// lapseAll withdraws what waits and must not leave any more, and returns the next latest departure; zero when there is
// none.
func (a *Account) lapseAll(ctx context.Context) (next time.Time, err error) {
	for {
		now := time.Now()
		late, err := a.dispatcher.cfg.Ledger.LateActions(ctx, a.cfg.Account, now, latePage)
		if err != nil {
			return next, fmt.Errorf("read what is too late of %s: %w", a.cfg.Account, err)
		}
		err = a.withdrawWaiting(ctx, late, now, func(x *event.Action) event.Reason { return reason.StillLate(x.Why, x.Until) })
		switch {
		case err != nil:
			return next, fmt.Errorf("withdraw what is too late of %s: %w", a.cfg.Account, err)
		case len(late) < latePage:
			next, err := a.dispatcher.cfg.Ledger.NextUntil(ctx, a.cfg.Account, now)
			if err != nil {
				return next, fmt.Errorf("read the next latest departure of %s: %w", a.cfg.Account, err)
			}
			return next, nil
		}
	}
}

// withdrawWaiting withdraws actions that still wait, each for its reason, and tells of them.
func (a *Account) withdrawWaiting(ctx context.Context, all []event.Action, now time.Time, why func(*event.Action) event.Reason) error {
	for i := range all {
		because := why(&all[i])
		ChangeState(&all[i], event.StateWithdrawn)
		reason.Set(&all[i], because)
		all[i].EndedAt = now
	}
	gone, err := a.markThose(ctx, all, markWaiting)
	// Also after an error: these are stored, and nobody would be told of them later.
	for i := range gone {
		a.dispatcher.cfg.Listener.ActionEnded(gone[i])
	}
	return err
}

// markWaiting is MarkOf for an action that was read while it waited: it may have been queued since, and then its own look decides.
func markWaiting(a *event.Action) Mark {
	m := MarkOf(a)
	m.Waits = true
	return m
}
