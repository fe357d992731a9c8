package session

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// fewVain is how many sessions in a row there may be that were got in vain before getting another one waits: after that it is not one session
// that is at fault.
const fewVain = 3

// accepted knows which session the platform has accepted last. It has no lock: each answered call tells it.
type accepted struct {
	last atomic.Pointer[platform.Secret]
}

// Accepted is told that a call was answered that needs a session, and which one it was sent with. What strangers may see, as the feed, posts
// and people, proves nothing of a session.
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
// accepts none would otherwise be asked for another one with each call. One by which a call was answered has served, however soon it
// ended: that another one is had for it is what limits count.
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
