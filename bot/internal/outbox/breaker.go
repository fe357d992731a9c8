package outbox

import (
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
)

// breaker stops an account while the platform takes nothing. It opens for longer and longer; after each pause,
// it lets a single call through to find out, and the others wait for what becomes of it.
type breaker struct {
	open     bool
	failures int // how often it opened since it was closed last, because calls failed
	asked    int // the same, in a row, because the platform wanted fewer of them and did not say for how long
	trips    int // how often it ever opened
	until    time.Time
	retryAt  time.Time // until when the platform asked us to wait
	first    time.Time // when one may find out that has not failed itself, if others of the account get answers
	halfOpen bool
	untried  int           // calls that wait and have not failed: one of them finds out before what has
	logged   bool          // the log heard that it is open
	changed  chan struct{} // closed when it opens again or closes; nil while nobody waits for that

	openedAt time.Time // when it opened last
	limited  bool      // since there were too many calls
	good     time.Time // when another call of the account got an answer last, while it was open
	woken    time.Time // when one let another call through last
	wakes    int       // how often one did, in vain

	unreachable bool          // it is open since nobody could even ask
	since       time.Time     // since when that is known
	lost        time.Duration // for how long it ever was so, before
}

const (
	maxOpen = time.Minute
	// maxUntried is the longest pause for what has not failed: the fault may be in what has, and in that alone.
	maxUntried = 10 * time.Second
)

// pauseAfter is the pause after so many tries in vain.
func pauseAfter(tries int) time.Duration { return min(time.Second<<min(tries, 6), maxOpen) }

// callTicket is what a call holds whose token was taken since the breaker last opened: it need not take
// another one.
func (b *breaker) callTicket() int { return b.trips + 1 }

// probeTime returns from when on one may find out. What has failed may have done so by a fault of its own, such as a post that nobody can
// read: where others of the account get answers, what has not failed need not wait for as long as it.
func (b *breaker) probeTime(failed bool) time.Time {
	if !failed && b.good.After(b.openedAt) && b.first.Before(b.until) { //mutate:breaker-untried
		return b.first
	}
	return b.until
}

// allow asks for a call to be let through, of a queue that has failed itself or has not. When it is not, it has to wait for the channel,
// or for a time, which may be lifecycle.Forever.
func (b *breaker) allow(now time.Time, failed bool) (ok bool, wait time.Duration, changed <-chan struct{}) {
	switch from := b.probeTime(failed); {
	case !b.open:
		return true, 0, nil
	case now.Before(from):
		wait = from.Sub(now)
	case !b.halfOpen && (!failed || b.untried == 0):
		b.halfOpen = true
		return true, 0, nil
	default: // another one finds out
		wait = lifecycle.Forever
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return false, wait, b.changed
}

// tripBreaker opens the breaker for some time. Failures of calls that were on their way when it opened count
// as one with it. A platform that says it had too many is left alone for the whole time.
func (b *breaker) tripBreaker(now time.Time, atLeast time.Duration, unreachable, limited bool) {
	// A call that left before the breaker opened brings the same news late: it must not make the pause longer.
	if !b.halfOpen && now.Before(b.until) && now.Add(atLeast).Before(b.until) {
		return
	}
	pause := max(pauseAfter(b.failures), atLeast)
	if limited { //mutate:breaker-limited
		pause = b.pauseAsked(atLeast)
	} else {
		b.failures, b.asked = b.failures+1, 0
	}
	if b.good.Before(b.openedAt) { // nobody got an answer since: it is not what is done here
		b.wakes = 0
	}
	b.open, b.openedAt, b.limited = true, now, limited
	b.trips++
	b.noteReachable(now, unreachable)
	b.until, b.retryAt = now.Add(pause), now.Add(atLeast)
	b.first = b.until
	if !unreachable && !limited && atLeast == 0 {
		b.first = now.Add(min(pause/2, maxUntried)) // half of it, so that it is there before what has failed
	}
	b.notify()
}

// pauseAsked is the pause after the platform wanted fewer calls: for as long as it says, or a second at first, also after other failures.
func (b *breaker) pauseAsked(wait time.Duration) time.Duration {
	if wait > 0 {
		b.asked = 0
		return wait
	}
	b.asked++
	return pauseAfter(b.asked - 1)
}

// close closes the breaker, unless the call that passed had left before the platform asked us to wait. It reports
// whether it was open.
func (b *breaker) close() bool {
	if !b.open {
		return false
	}
	now := time.Now()
	// Its answer is from before the platform asked to be left alone.
	if now.Before(b.retryAt) { //mutate:breaker-asked
		return false
	}
	b.noteReachable(now, false)
	b.open, b.failures, b.asked, b.until = false, 0, 0, time.Time{}
	b.wakes, b.woken = 0, time.Time{}
	b.notify()
	return true
}

// wake notes that another call of the account got a good answer. A single call may then find out soon whether the
// platform takes actions again, too; when it did not, a later one only after a longer pause.
func (b *breaker) wake(now time.Time) {
	if !b.open {
		return
	}
	news := !b.good.After(b.openedAt)
	if b.good = now; news && !b.halfOpen { // what has not failed may wait for less
		b.notify()
	}
	from := b.openedAt
	if b.woken.After(from) {
		from = b.woken
	}
	from = from.Add(pauseAfter(b.wakes))
	if from.Before(now) {
		from = now
	}
	if b.halfOpen || b.limited || now.Before(b.retryAt) || !from.Before(b.until) { //mutate:breaker-wake
		return
	}
	b.until, b.woken = from, from
	b.wakes++
	b.notify()
}

// noteReachable takes down that from now on nobody can ask, or that somebody could.
func (b *breaker) noteReachable(now time.Time, unreachable bool) {
	if b.unreachable {
		b.lost += now.Sub(b.since)
	}
	b.since, b.unreachable = now, unreachable
}

// askableTime returns what a clock shows at now that stands still while nobody can ask.
func (b *breaker) askableTime(now time.Time) time.Time {
	lost := b.lost
	if b.unreachable {
		lost += now.Sub(b.since)
	}
	return now.Add(-lost)
}

// notify lets the next call find out, and tells those who wait that something has changed.
func (b *breaker) notify() {
	b.halfOpen = false
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}
