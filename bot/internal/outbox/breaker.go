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

func (g *breaker) closed() bool { return !g.open }

// ticket is what a call holds whose token was taken since the breaker last opened: it need not take
// another one.
func (g *breaker) ticket() int { return g.trips + 1 }

// opens returns from when on one may find out. What has failed may have done so by a fault of its own, such as a post that nobody can
// read: where others of the account get answers, what has not failed need not wait for as long as it.
func (g *breaker) opens(failed bool) time.Time {
	if !failed && g.good.After(g.openedAt) && g.first.Before(g.until) { //mutate:breaker-untried
		return g.first
	}
	return g.until
}

// allow asks for a call to be let through, of a queue that has failed itself or has not. When it is not, it has to wait for the channel,
// or for a time, which may be lifecycle.Forever.
func (g *breaker) allow(now time.Time, failed bool) (ok bool, wait time.Duration, changed <-chan struct{}) {
	switch from := g.opens(failed); {
	case g.closed():
		return true, 0, nil
	case now.Before(from):
		wait = from.Sub(now)
	case !g.halfOpen && (!failed || g.untried == 0):
		g.halfOpen = true
		return true, 0, nil
	default: // another one finds out
		wait = lifecycle.Forever
	}
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return false, wait, g.changed
}

// trip opens the breaker for some time. Failures of calls that were on their way when it opened count
// as one with it. A platform that says it had too many is left alone for the whole time.
func (g *breaker) trip(now time.Time, atLeast time.Duration, unreachable, limited bool) {
	// A call that left before the breaker opened brings the same news late: it must not make the pause longer.
	if !g.halfOpen && now.Before(g.until) && now.Add(atLeast).Before(g.until) {
		return
	}
	pause := max(pauseAfter(g.failures), atLeast)
	if limited { //mutate:breaker-limited
		pause = g.pauseAsked(atLeast)
	} else {
		g.failures, g.asked = g.failures+1, 0
	}
	if g.good.Before(g.openedAt) { // nobody got an answer since: it is not what is done here
		g.wakes = 0
	}
	g.open, g.openedAt, g.limited = true, now, limited
	g.trips++
	g.note(now, unreachable)
	g.until, g.retryAt = now.Add(pause), now.Add(atLeast)
	g.first = g.until
	if !unreachable && !limited && atLeast == 0 {
		g.first = now.Add(min(pause/2, maxUntried)) // half of it, so that it is there before what has failed
	}
	g.notify()
}

// pauseAsked is the pause after the platform wanted fewer calls: for as long as it says, or a second at first, whatever has failed before.
func (g *breaker) pauseAsked(wait time.Duration) time.Duration {
	if wait > 0 {
		g.asked = 0
		return wait
	}
	g.asked++
	return pauseAfter(g.asked - 1)
}

// close closes the breaker, unless the call that passed had left before the platform asked us to wait. It reports
// whether it was open.
func (g *breaker) close() bool {
	if g.closed() {
		return false
	}
	now := time.Now()
	// Its answer is from before the platform asked to be left alone.
	if now.Before(g.retryAt) { //mutate:breaker-asked
		return false
	}
	g.note(now, false)
	g.open, g.failures, g.asked, g.until = false, 0, 0, time.Time{}
	g.wakes, g.woken = 0, time.Time{}
	g.notify()
	return true
}

// wake notes that another call of the account got a good answer. A single call may then find out soon whether the
// platform takes actions again, too; when it did not, a later one only after a longer pause.
func (g *breaker) wake(now time.Time) {
	if g.closed() {
		return
	}
	news := !g.good.After(g.openedAt)
	if g.good = now; news && !g.halfOpen { // what has not failed may wait for less
		g.notify()
	}
	from := g.openedAt
	if g.woken.After(from) {
		from = g.woken
	}
	from = from.Add(pauseAfter(g.wakes))
	if from.Before(now) {
		from = now
	}
	if g.halfOpen || g.limited || now.Before(g.retryAt) || !from.Before(g.until) { //mutate:breaker-wake
		return
	}
	g.until, g.woken = from, from
	g.wakes++
	g.notify()
}

// note takes down that from now on nobody can ask, or that somebody could.
func (g *breaker) note(now time.Time, unreachable bool) {
	if g.unreachable {
		g.lost += now.Sub(g.since)
	}
	g.since, g.unreachable = now, unreachable
}

// clock returns what a clock shows at now that stands still while nobody can ask.
func (g *breaker) clock(now time.Time) time.Time {
	lost := g.lost
	if g.unreachable {
		lost += now.Sub(g.since)
	}
	return now.Add(-lost)
}

// notify lets the next call find out, and tells whoever waits that something has changed.
func (g *breaker) notify() {
	g.halfOpen = false
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}
