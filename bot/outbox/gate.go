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

	deaf  bool          // it is closed since nobody could even ask
	since time.Time     // since when that is known
	lost  time.Duration // for how long it ever was so, before
}

const maxClosed = time.Minute

func (g *gate) open() bool { return g.failures == 0 }

// ticket is what a call holds whose token was taken since the gate last closed: it need not take
// another one.
func (g *gate) ticket() int { return g.closings + 1 }

// enter asks for a call to be let through. When it is not, it has to wait: for a time, or for the
// channel.
func (g *gate) enter(now time.Time) (ok bool, wait time.Duration, changed <-chan time.Time) {
	switch {
	case g.open():
		return true, 0, nil
	case now.Before(g.until):
		return false, g.until.Sub(now), nil
	case !g.probing:
		g.probing = true
		return true, 0, nil
	}
	if g.changed == nil {
		g.changed = make(chan time.Time)
	}
	return false, 0, g.changed
}

// fail closes the gate for some time. Failures of calls that were on their way when it closed count
// as one with it.
func (g *gate) fail(now time.Time, atLeast time.Duration, deaf bool) {
	if now.Before(g.until) && now.Add(atLeast).Before(g.until) {
		return
	}
	pause := min(time.Second<<min(g.failures, 6), maxClosed)
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
	g.turn()
	return true
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

func (g *gate) turn() {
	g.probing = false
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}
