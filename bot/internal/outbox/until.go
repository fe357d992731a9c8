package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// What has a latest departure never leaves after it. The dispatcher looks at the clock on the wall each time before a
// request leaves. What waits, in the store or for a person, is withdrawn when its time comes, whatever keeps it.

// latePage is how many actions are withdrawn in one commit.
const latePage = 256

// errLate is why something was not even tried.
var errLate = errors.New("its time is over")

// isLate reports whether an action must not leave any more.
func isLate(a *event.Action, now time.Time) bool { return !a.Until.IsZero() && !now.Before(a.Until) }

// expires reports whether an item has a latest departure. One that puts right what an earlier call has undone has none.
func (it *delivery) expires() bool { return !it.Until.IsZero() && !it.owed && !it.undone() }

// isLate reports whether the request of an item must not leave any more.
func (it *delivery) isLate() bool {
	return it.expires() && isLate(&it.Action, time.Now())
}

// lapse withdraws an item that must not leave any more; false when it may.
func (it *delivery) lapse() bool {
	if !it.isLate() {
		return false
	}
	why := reason.TooLate(it.Until)
	if it.Tries > 0 {
		why = reason.TooLateAgain(it.Until)
	}
	it.enter(event.StateWithdrawn, why)
	return true
}

// dates are the latest departures of what waits. They belong to Account.mu.
type dates struct {
	next  time.Time // the first that is known; zero: there is none
	alarm *time.Timer
	busy  bool // those that are over are being withdrawn
}

// dateAtLocked notes that something waits that has a latest departure.
func (b *Account) dateAtLocked(ctx context.Context, until time.Time) {
	if before := b.dates.next; before.IsZero() || until.Before(before) {
		b.dates.next = until
		b.setAlarmLocked(ctx)
	}
}

// setAlarmLocked wakes the account outbox when the next latest departure is over.
func (b *Account) setAlarmLocked(ctx context.Context) {
	d := &b.dates
	if d.alarm != nil {
		d.alarm.Stop()
		d.alarm = nil
	}
	if d.next.IsZero() || d.busy || b.workers.Stopped() || ctx.Err() != nil {
		return
	}
	d.alarm = time.AfterFunc(max(0, min(time.Until(d.next), clockCheck)), func() { b.lapseDue(ctx) })
}

// lapseDue withdraws what waits and must not leave any more, if there is something.
func (b *Account) lapseDue(ctx context.Context) {
	b.mu.Lock()
	d := &b.dates
	if d.busy || d.next.IsZero() || !b.workers.Begin() { //mutate:until-lapse
		b.mu.Unlock()
		return
	}
	defer b.workers.End()
	if time.Now().Before(d.next) { // the clock was set, or it is far away
		b.setAlarmLocked(ctx)
		b.mu.Unlock()
		return
	}
	// Forgotten before the store is read: what comes to wait meanwhile notes its own time, and is not lost to this look.
	d.busy, d.next = true, time.Time{}
	b.mu.Unlock()
	ctx2 := b.dispatcher.yield(ctx, func() string { return fmt.Sprintf("late %s", b.cfg.Account) })
	next, err := b.lapseAll(ctx2)
	if err != nil {
		next = time.Now().Add(lookAgain) // the store fails, and says so elsewhere
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	d.busy = false
	if !next.IsZero() {
		earliest(&d.next, next)
	}
	b.setAlarmLocked(ctx)
}

// lapseAll withdraws what waits and must not leave any more, and returns the next latest departure; zero when there is
// none.
func (b *Account) lapseAll(ctx context.Context) (next time.Time, err error) {
	for {
		now := time.Now()
		late, err := b.dispatcher.cfg.Ledger.Late(ctx, b.cfg.Account, now, latePage)
		if err != nil {
			return next, fmt.Errorf("read what is too late of %s: %w", b.cfg.Account, err)
		}
		for i := range late {
			a := &late[i]
			why := reason.StillLate(a.Why, a.Until)
			Enter(a, event.StateWithdrawn)
			reason.Set(a, why)
			a.EndedAt = now
		}
		gone, err := b.markThose(ctx, late, func(a *event.Action) Mark {
			m := MarkOf(a)
			// Only while it still waits: the dispatcher may have taken it since the page was read, and then its own look decides.
			m.Waits = true
			return m
		})
		// Also when the page ended in an error: these are stored, and nobody would be told of them later.
		for i := range gone {
			b.dispatcher.cfg.Ended(gone[i])
		}
		switch {
		case err != nil:
			return next, fmt.Errorf("withdraw what is too late of %s: %w", b.cfg.Account, err)
		case len(late) < latePage:
			next, err := b.dispatcher.cfg.Ledger.NextUntil(ctx, b.cfg.Account, now)
			if err != nil {
				return next, fmt.Errorf("read the next latest departure of %s: %w", b.cfg.Account, err)
			}
			return next, nil
		}
	}
}
