package outbox

import "time"

// gate stops an account while the platform takes nothing. It closes with growing pauses; after each,
// it lets a single call through to find out, and the others wait for what becomes of it.
type gate struct {
	failures int // how often it closed since it was open
	closings int // how often it ever closed
	until    time.Time
	probing  bool
	told     bool           // the log heard that it is closed
	changed  chan time.Time // closed when it closes again or opens; nil while nobody waits for that
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
func (g *gate) fail(now time.Time, atLeast time.Duration) {
	if now.Before(g.until) && now.Add(atLeast).Before(g.until) {
		return
	}
	pause := min(time.Second<<min(g.failures, 6), maxClosed)
	g.failures++
	g.closings++
	g.until = now.Add(max(pause, atLeast))
	g.turn()
}

// pass opens the gate. It reports whether it was closed.
func (g *gate) pass() bool {
	if g.open() {
		return false
	}
	g.failures, g.until = 0, time.Time{}
	g.turn()
	return true
}

func (g *gate) turn() {
	g.probing = false
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}
