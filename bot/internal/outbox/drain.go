package outbox

import "context"

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
