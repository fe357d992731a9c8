package lease

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// guardConn is a connection behind a guard. It has no way to write but Write.
type guardConn struct {
	net.Conn
	guard   *Guard
	busy    atomic.Bool  // somebody writes
	written atomic.Int64 // bytes that may have left
	refused atomic.Bool  // a write was
}

// Write writes if the lease is valid.
func (c *guardConn) Write(b []byte) (int, error) {
	c.busy.Store(true) // before the look: who shuts the guard meanwhile sees it
	defer c.busy.Store(false)
	at, end := int64(c.guard.clock()), c.guard.until.Load()
	if at >= end { //mutate:guard-write
		c.refused.Store(true)
		return 0, ErrShut
	}
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	if err != nil && n == 0 {
		c.written.Add(1) // nobody knows
	}
	// The process may have stood still between the look and the write. That cannot be prevented here, only noticed: who takes over is told, and
	// the deadman keeps it short.
	if over := int64(c.guard.clock()); over >= end && over >= c.guard.until.Load() {
		c.guard.noteOverrun(time.Duration(at), time.Duration(over))
	}
	return n, err
}

// SyscallConn returns the socket, for who looks whether it is still open.
func (c *guardConn) SyscallConn() (syscall.RawConn, error) {
	s, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return s.SyscallConn() //nolint:wrapcheck // it is the connection's
}

// Close closes the connection.
func (c *guardConn) Close() error {
	c.guard.removeConn(c)
	return c.Conn.Close()
}

// WrapDialer returns a way to dial whose connections write only while the guard is open, and are not tried while it is shut. What the
// system has taken over from a write is given up when nobody acknowledges it for as long as patience, where the system can do
// that: it is not sent anew for minutes. 0 leaves that to the system.
func (g *Guard) WrapDialer(dial func(ctx context.Context, network, address string) (net.Conn, error), patience time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	if g == nil {
		return dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := g.Check(); err != nil {
			return nil, err
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if err := userTimeout(conn, patience); err != nil {
			_ = conn.Close() // the first error says it all
			return nil, err
		}
		c := &guardConn{Conn: conn, guard: g}
		g.addConn(c)
		return c, nil
	}
}
