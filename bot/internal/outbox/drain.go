package outbox

import "context"

// Drain ends the account outbox: it lets the requests in flight end, gives back what has not left, and returns when nothing runs any
// more or ctx is done. It may be called again, to wait longer. Nothing is left of an account outbox then, also no timer; another one may
// be opened for the account when what this one gave back is stored.
func (b *Account) Drain(ctx context.Context) error {
	quiet := b.workers.Stop()
	b.stopAlarms()
	select {
	case <-quiet:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stopAlarms stops what would only wake up to find that the account outbox has ended.
func (b *Account) stopAlarms() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.alarm != nil {
		b.alarm.Stop()
	}
	if b.dates.alarm != nil {
		b.dates.alarm.Stop()
	}
	for key, timer := range b.debts {
		timer.Stop()
		delete(b.debts, key)
	}
}
