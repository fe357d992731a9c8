package session

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// fewVain is how many sessions in a row may be refused at once before the next sign-in has to wait: after so many it is not the fault of one
// session.
const fewVain = 3

// accepted knows which session the platform has accepted last. It has no lock: each answered call tells it.
type accepted struct {
	last atomic.Pointer[platform.Secret]
}

// Accepted is told that a call which needs a session was answered, and which session it was sent with. Calls that work without one, such as
// those for the feed, posts and people, prove nothing of a session.
func (a *accepted) Accepted(id platform.Secret) {
	if !a.is(id) {
		id := id // here alone it needs a place that lasts
		a.last.Store(&id)
	}
}

func (a *accepted) is(id platform.Secret) bool {
	last := a.last.Load()
	return last != nil && *last == id
}

// inVainLocked notes that kept's session turned out to be refused. A platform that hands out sessions and
// accepts none would otherwise be asked for another one with each call. A session by which a call was answered was not in vain, however
// soon it ended: how many of those an account gets is bounded by limits.
func (b *Broker) inVainLocked(now time.Time, err error) {
	if b.is(b.kept.SessionID) { //mutate:session-served
		b.vain = 0
		return
	}
	if b.vain++; b.vain < fewVain { //mutate:sessions-in-vain
		return
	}
	if b.cfg.Email != "" && b.vain%refreshPatience == fewVain {
		b.kept.RefreshToken = "" // perhaps it is renewing that makes sessions of no use
	}
	next := pause{reason: byOutage, until: now.Add(growingPause(minOutage, maxOutage, int(b.vain-fewVain), b.cfg.Account))}
	next.err = &PausedError{
		Account: b.cfg.Account, Until: next.until,
		Err: fmt.Errorf("%d sessions in a row were refused and not one call was answered by them: %w", b.vain, err),
	}
	b.pause = &next
}
