package session

import (
	"fmt"
	"time"
)

const (
	// atOnce is up to when a session counts as refused as soon as it was got: whoever wanted it uses it then.
	atOnce = 10 * time.Second

	// fewVain is how many of them in a row there may be before getting another one waits: after that it is
	// not one session that is at fault.
	fewVain = 3
)

// inVainLocked notes that kept's session turned out to be refused. A platform that hands out sessions and
// accepts none would otherwise be asked for another one with each call.
func (b *Broker) inVainLocked(now time.Time, err error) {
	if now.Sub(b.kept.Obtained) >= atOnce {
		// It served for a while, so it ended as sessions do.
		b.vain = 0
		return
	}
	if b.vain++; b.vain < fewVain { //mutate:sessions-in-vain
		return
	}
	if b.cfg.Email != "" && b.vain%refreshPatience == fewVain {
		b.kept.RefreshToken = "" // perhaps it is renewing that makes sessions of no use
	}
	next := pause{reason: byOutage, until: now.Add(growing(minOutage, maxOutage, int(b.vain-fewVain), b.cfg.Account))}
	next.err = &PausedError{
		Account: b.cfg.Account, Until: next.until,
		Err: fmt.Errorf("%d sessions in a row were refused as soon as they were used: %w", b.vain, err),
	}
	b.pause = &next
}
