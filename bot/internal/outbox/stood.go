package outbox

import "time"

// What waits in a stop – the account or a rule is paused, another bot was at work, the process was down – may have been answered by somebody
// else meanwhile, however short that was: nothing that was read before its end counts as just read.

// stood is when an account outbox went on last.
type stood struct {
	position int64     // what was decided before that has a lower one
	at       time.Time // by the wall clock, as the store has its times
}

// goesOn notes that a stop ends, before anything may leave again.
func (a *Account) goesOn() {
	a.stood.Store(&stood{a.dispatcher.cfg.Ledger.NextPosition(), time.Now().Round(0)})
}

// sinceStop returns the last stop for what was decided at a position; nil when it has waited in that one.
func (a *Account) sinceStop(position int64) *stood {
	last := a.stood.Load()
	if last != nil && position < last.position { //mutate:stood-looks
		return nil
	}
	return last
}

// StoodSince reports whether nothing might leave at some time after t.
func (a *Account) StoodSince(t time.Time) bool {
	last := a.stood.Load()
	return last != nil && last.at.After(t)
}
