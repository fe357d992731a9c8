package demo

import (
	"context"
	"net"
	"sync"
)

// road is the network between one worker of a demo and one of those that it speaks to. It can be cut.
type road struct {
	listener net.Listener
	dial     func() (net.Conn, error)
	running  sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	ends    map[net.Conn]bool
	held    chan struct{} // nothing goes on until it is closed; nil: all does
	refuses bool
}

// NewRoad opens a way to where dial leads.
func NewRoad(ctx context.Context, dial func() (net.Conn, error)) (*road, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &road{listener: l, dial: dial, ends: map[net.Conn]bool{}}
	r.running.Go(r.accept)
	return r, nil
}

func (r *road) ListenAddress() string { return r.listener.Addr().String() }

func (r *road) accept() {
	for {
		near, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.open(near) })
	}
}

// open connects somebody, once nothing is held any more.
func (r *road) open(near net.Conn) {
	if !r.note(near) {
		return
	}
	r.pass()
	far, err := r.dial()
	if err != nil {
		r.close(near)
		return
	}
	if !r.note(far) {
		r.close(near)
		return
	}
	r.running.Go(func() { r.carry(near, far) })
	r.carry(far, near)
}

// note remembers a connection; one that is refused it closes.
func (r *road) note(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses {
		_ = c.Close()
		return false
	}
	r.ends[c] = true
	return true
}

// carry brings what comes from one end to the other one. That an end is gone is held up like anything else.
func (r *road) carry(from, to net.Conn) {
	defer r.close(from, to)
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		r.pass()
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (r *road) close(ends ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range ends {
		delete(r.ends, c)
		_ = c.Close() // it may be closed
	}
}

// pass returns when nothing is held.
func (r *road) pass() {
	r.mu.Lock()
	held := r.held
	r.mu.Unlock()
	if held != nil {
		<-held
	}
}

// StallAll holds all that is on its way, and tells nobody.
func (r *road) StallAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = make(chan struct{})
	}
}

// CutAll cuts all connections, and refuses new ones.
func (r *road) CutAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = true
	r.cutAllLocked()
}

// dropConnections cuts all connections, and lets new ones come.
func (r *road) dropConnections() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cutAllLocked()
}

// RepairRoad lets everything pass again. What was held goes on, unless it is to be lost: a platform need not see requests that nobody waits
// for any more, as a kernel does not send them again for longer than it was told to.
func (r *road) RepairRoad(lose bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if lose {
		r.cutAllLocked()
	}
	if r.held != nil {
		close(r.held)
		r.held = nil
	}
	r.refuses = false
}

// cutAllLocked closes all connections.
func (r *road) cutAllLocked() {
	for c := range r.ends {
		_ = c.Close() // it may be closed
	}
}

// End closes the road.
func (r *road) End() {
	_ = r.listener.Close()
	r.CutAll()
	r.RepairRoad(true)
	r.running.Wait()
}
