package emulator

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// pipeBase is the base address behind a pipe. Its host counts as loopback.
const pipeBase = "http://emulator.localhost" + basePath

// NewPipe serves h until Close behind a real HTTP server and a real transport, joined in memory instead of by a network:
// only Transport knows the way. It works inside a testing/synctest bubble: all that it waits for belongs to it.
func NewPipe(h http.Handler) *Server {
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	return serve(l, pipeBase, h, l.dial)
}

// pipeListener accepts the far ends of the pipes that dial makes.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and dial.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns a name for the listener.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "emulator.localhost" }
