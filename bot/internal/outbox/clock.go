package outbox

import (
	"context"
	"fmt"
	"time"
)

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
