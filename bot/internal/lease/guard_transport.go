package lease

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Transport carries requests through a guard.
type Transport struct {
	guard *Guard
	base  *platform.Transport
}

// Transport returns a transport like base, whose connections write only while the guard is open. Of a request of which it knows that
// nothing has left it says so with platform.ErrUnsent. Patience is how long a request may take, see WrapDialer.
func (g *Guard) Transport(base *platform.Transport, patience time.Duration) *Transport {
	t := &Transport{guard: g, base: &platform.Transport{Transport: base.Clone()}}
	dial := base.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.base.DialContext = g.WrapDialer(dial, patience)
	if base.DialTLSContext != nil {
		t.base.DialTLSContext = g.WrapDialer(base.DialTLSContext, patience)
	}
	return t
}

// CloseIdleConnections closes the connections that no request uses.
func (t *Transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// RoundTrip sends a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.guard == nil {
		return t.base.RoundTrip(r)
	}
	if err := t.guard.Check(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a transport does
		}
		return nil, unsentError{err}
	}
	tries := &tries{}
	trace := &httptrace.ClientTrace{GotConn: tries.got}
	resp, err := t.base.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	// A request in doubt is looked for on the platform first; one that is known not to have left goes again as soon as there is a lease.
	if err != nil && tries.unsent(err) {
		err = unsentError{ErrShut}
	}
	return resp, err
}

// unsentError is why nothing of a request has left.
type unsentError struct{ error }

// Unwrap returns why, and that it is so.
func (e unsentError) Unwrap() []error { return []error{e.error, platform.ErrUnsent} }

// tries follows the connections that a request has been given: a transport may try another one.
type tries struct {
	mu  sync.Mutex // guards the field below
	all []try
}

// try is a connection as it was when a request got it.
type try struct {
	conn    *guardConn // nil: nothing is known
	written int64
}

func (t *tries) got(info httptrace.GotConnInfo) {
	conn := info.Conn
	// Bytes are counted below TLS, where they leave.
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	c, _ := conn.(*guardConn)
	one := try{conn: c}
	if c != nil {
		// A connection that is used again has written before: only what is more than that is this request's.
		one.written = c.written.Load()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, one)
}

// unsent reports whether a request that failed was kept by the guard, all of it.
func (t *tries) unsent(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	shut := errors.Is(err, ErrShut)
	for _, one := range t.all {
		if one.conn == nil || one.conn.written.Load() != one.written { //mutate:partly-sent
			return false
		}
		shut = shut || one.conn.refused.Load()
	}
	return shut
}

var _ http.RoundTripper = (*Transport)(nil)
