package lease

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrShut is the error of what was not sent, since the worker has no lease at the moment.
var ErrShut = errors.New("this worker has no lease at the moment: nothing leaves")

// Guard lets requests leave as long as a lease is valid. It looks each time that bytes go to a socket, so that nothing which was held
// up anywhere before leaves late. A nil Guard is open for ever.
type Guard struct {
	clock func() time.Duration
	until atomic.Int64 // the end of the lease; 0: shut

	mu    sync.Mutex // guards the fields below
	conns map[*guardConn]struct{}
	late  Late
}

// Late is what a guard has let through and found out too late: between a look at the clock and the end of the write the lease ended.
type Late struct {
	Writes       int
	Since, Until time.Duration // by the steady clock
}

// NewGuard returns a guard that is shut.
func NewGuard(clock Clock) *Guard {
	return &Guard{clock: clock.Steady, conns: map[*guardConn]struct{}{}}
}

// Open opens the guard until a time of the steady clock.
func (g *Guard) Open(until time.Duration) {
	if g != nil {
		g.until.Store(int64(until))
	}
}

// Close shuts the guard. When it returns nothing is being written any more: what was is cut off.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	// First this, then the look who writes: a write that begins later sees it, and one that has looked before has said that it is busy.
	g.until.Store(0)
	g.mu.Lock()
	var busy []*guardConn
	for c := range g.conns {
		if c.busy.Load() {
			busy = append(busy, c)
		}
	}
	g.mu.Unlock()
	for _, c := range busy {
		_ = c.Conn.Close() // the writer is told
	}
}

// Check returns ErrShut when nothing may leave.
func (g *Guard) Check() error {
	if g == nil || int64(g.clock()) < g.until.Load() {
		return nil
	}
	return ErrShut
}

// IsOpen reports whether something may leave.
func (g *Guard) IsOpen() bool { return g.Check() == nil }

// Late returns what may have left too late, and forgets it.
func (g *Guard) Late() Late {
	if g == nil {
		return Late{}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	late := g.late
	g.late = Late{}
	return late
}

// noteOverrun notes that a write that was let through at a time ended at another one, when the lease was over.
func (g *Guard) noteOverrun(since, until time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.late.Writes == 0 || since < g.late.Since {
		g.late.Since = since
	}
	g.late.Until = max(g.late.Until, until)
	g.late.Writes++
}

func (g *Guard) addConn(c *guardConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = struct{}{}
}

func (g *Guard) removeConn(c *guardConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
}
