package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// aside holds an item that has not left, when it is to wait for a person; others of its queue go before it.
func (b *Account) aside(it *delivery) bool {
	why := b.cfg.Aside(&it.Action)
	if why == "" { //mutate:aside
		return false
	}
	it.enter(event.StateHeld, why)
	it.ReconcileFrom, it.LeftAt = 0, time.Time{} // nothing of it can be on the platform, of an earlier try neither
	return true
}

// Look takes up what a commit has let go on: actions that were held are due. The context is that of the account outbox's whole
// lifetime.
func (b *Account) Look(ctx context.Context) {
	b.goesOn()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written++
	b.dueAtLocked(b.storeTimeLocked(time.Now()), true)
	b.startFetcherLocked(ctx)
}
