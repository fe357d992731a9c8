package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// holdPaused holds an item that has not left, when it is to wait for a person; others of its queue go before it.
func (a *Account) holdPaused(d *delivery) bool {
	why := a.cfg.PauseReason(&d.Action)
	if why == "" { //mutate:aside
		return false
	}
	d.changeState(event.StateHeld, why)
	d.ReconcileFrom, d.LeftAt = 0, time.Time{} // nothing of it can be on the platform, of an earlier try neither
	return true
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
