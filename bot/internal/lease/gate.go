package lease

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrShut is the error of what was not sent, since the worker has no lease at the moment.
var ErrShut = errors.New("this worker has no lease at the moment: nothing leaves")

// Gate lets requests leave as long as a lease is valid. It looks each time that bytes go to a socket, so that nothing which was held
// up anywhere before leaves late. A nil Gate is open for ever.
type Gate struct {
	clock func() time.Duration
	until atomic.Int64 // the end of the lease; 0: shut

	mu    sync.Mutex
	conns map[*gateConn]struct{}
	late  Late
}

// Late is what a gate has let through and found out too late: between a look at the clock and the end of the write the lease ended.
type Late struct {
	Writes       int
	Since, Until time.Duration // by the steady clock
}

// NewGate returns a gate that is shut.
func NewGate(clock Clock) *Gate {
	return &Gate{clock: clock.Steady, conns: map[*gateConn]struct{}{}}
}

// Open opens the gate until a time of the steady clock.
func (g *Gate) Open(until time.Duration) {
	if g != nil {
		g.until.Store(int64(until))
	}
}

// Shut shuts the gate. When it returns nothing is being written any more: what was is cut off.
func (g *Gate) Shut() {
	if g == nil {
		return
	}
	g.until.Store(0)
	g.mu.Lock()
	var busy []*gateConn
	for c := range g.conns {
		if c.busy.Load() {
			busy = append(busy, c)
		}
	}
	g.mu.Unlock()
	for _, c := range busy {
		_ = c.Conn.Close() // whoever writes is told
	}
}

// Check returns ErrShut when nothing may leave.
func (g *Gate) Check() error {
	if g == nil || int64(g.clock()) < g.until.Load() {
		return nil
	}
	return ErrShut
}

// IsOpen tells whether something may leave.
func (g *Gate) IsOpen() bool { return g.Check() == nil }

// Late returns what may have left too late, and forgets it.
func (g *Gate) Late() Late {
	if g == nil {
		return Late{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	late := g.late
	g.late = Late{}
	return late
}

// overran notes that a write that was let through at a time ended at another one, when the lease was over.
func (g *Gate) overran(since, until time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.late.Writes == 0 || since < g.late.Since {
		g.late.Since = since
	}
	g.late.Until = max(g.late.Until, until)
	g.late.Writes++
}

func (g *Gate) note(c *gateConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = struct{}{}
}

func (g *Gate) forget(c *gateConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
}
