package outbox

import "time"

// gate stops an account while the platform takes nothing. It closes with growing pauses; after each,
// it lets a single call through to find out, and the others wait for what becomes of it.
type gate struct {
	failures int // how often it closed since it was open
	closings int // how often it ever closed
	until    time.Time
	asked    time.Time // until when the platform asked us to wait
	probing  bool
	told     bool           // the log heard that it is closed
	changed  chan time.Time // closed when it closes again or opens; nil while nobody waits for that

	closed  time.Time // when it closed last
	limited bool      // since there were too many calls
	good    time.Time // when another call of the account got an answer last, while it was closed
	woken   time.Time // when one let another call through last
	wakes   int       // how often one did, in vain

	deaf  bool          // it is closed since nobody could even ask
	since time.Time     // since when that is known
	lost  time.Duration // for how long it ever was so, before
}

const maxClosed = time.Minute

// pauseAfter is the pause after so many tries in vain.
func pauseAfter(tries int) time.Duration { return min(time.Second<<min(tries, 6), maxClosed) }

func (g *gate) open() bool { return g.failures == 0 }

// ticket is what a call holds whose token was taken since the gate last closed: it need not take
// another one.
func (g *gate) ticket() int { return g.closings + 1 }

// enter asks for a call to be let through. When it is not, it has to wait for the channel, or for a time, if
// there is one.
func (g *gate) enter(now time.Time) (ok bool, wait time.Duration, changed <-chan time.Time) {
	switch {
	case g.open():
		return true, 0, nil
	case now.Before(g.until):
		wait = g.until.Sub(now)
	case !g.probing:
		g.probing = true
		return true, 0, nil
	}
	if g.changed == nil {
		g.changed = make(chan time.Time)
	}
	return false, wait, g.changed
}

// fail closes the gate for some time. Failures of calls that were on their way when it closed count
// as one with it. A platform that says it had too many is left alone for the whole time.
func (g *gate) fail(now time.Time, atLeast time.Duration, deaf, limited bool) {
	if now.Before(g.until) && now.Add(atLeast).Before(g.until) {
		return
	}
	pause := pauseAfter(g.failures)
	if g.good.Before(g.closed) { // nobody got an answer since: it is not what is done here
		g.wakes = 0
	}
	g.closed, g.limited = now, limited
	g.failures++
	g.closings++
	g.note(now, deaf)
	g.until, g.asked = now.Add(max(pause, atLeast)), now.Add(atLeast)
	g.turn()
}

// pass opens the gate, unless the call that passed had left before the platform asked us to wait. It reports
// whether it was closed.
func (g *gate) pass() bool {
	if g.open() {
		return false
	}
	now := time.Now()
	if now.Before(g.asked) { //mutate:gate-asked
		return false
	}
	g.note(now, false)
	g.failures, g.until = 0, time.Time{}
	g.wakes, g.woken = 0, time.Time{}
	g.turn()
	return true
}

// wake notes that another call of the account got a good answer. A single call may then find out soon whether the
// platform takes actions again, too; when it did not, a later one only after a longer pause.
func (g *gate) wake(now time.Time) {
	if g.open() {
		return
	}
	g.good = now
	from := g.closed
	if g.woken.After(from) {
		from = g.woken
	}
	from = from.Add(pauseAfter(g.wakes))
	if from.Before(now) {
		from = now
	}
	if g.probing || g.limited || now.Before(g.asked) || !from.Before(g.until) { //mutate:gate-wake
		return
	}
	g.until, g.woken = from, from
	g.wakes++
	g.turn()
}

// note takes down that from now on nobody can ask, or that somebody could.
func (g *gate) note(now time.Time, deaf bool) {
	if g.deaf {
		g.lost += now.Sub(g.since)
	}
	g.since, g.deaf = now, deaf
}

// clock returns what a clock shows at now that stands still while nobody can ask.
func (g *gate) clock(now time.Time) time.Time {
	lost := g.lost
	if g.deaf {
		lost += now.Sub(g.since)
	}
	return now.Add(-lost)
}

// turn lets the next call find out, and tells whoever waits that something has changed.
func (g *gate) turn() {
	g.probing = false
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}
