package lean

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"
)

// Pool keeps connections between exchanges. The zero Pool is ready to use.
type Pool struct {
	buffers sync.Pool         // of *[]byte, for requests
	mu      sync.Mutex        // guards the fields below
	idle    map[route][]*conn // those used last stand last
	count   int
	round   int         // a connection of an earlier one is not kept any more
	sweep   *time.Timer // closes what is idle for too long; nil while there is nothing
}

// RoundTrip makes an exchange with the settings of base, or leaves it to base.
func (p *Pool) RoundTrip(r *http.Request, base *http.Transport) (*http.Response, error) {
	to, ok := routeOf(r, base)
	if !ok {
		return base.RoundTrip(r) //nolint:wrapcheck // callers look for its errors
	}
	ctx := r.Context()
	if ctx.Err() != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, context.Cause(ctx)
	}
	hooks := httptrace.ContextClientTrace(ctx)
	if hooks != nil && hooks.GetConn != nil { // before the body is read: from here on it is told what leaves
		hooks.GetConn(to.address)
	}
	buffer, _ := p.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer func() {
		*buffer = (*buffer)[:0]
		p.buffers.Put(buffer)
	}()
	var err error
	if *buffer, err = appendRequest(*buffer, r, !base.DisableCompression); err != nil {
		return nil, err
	}
	for {
		c, kept, err := p.connect(ctx, to, base)
		if err != nil {
			return nil, err
		}
		if hooks != nil && hooks.GotConn != nil {
			hooks.GotConn(httptrace.GotConnInfo{Conn: c.Conn, Reused: kept, WasIdle: kept})
		}
		resp, again, err := p.begin(r, *buffer, c, kept, hooks)
		if !again {
			return resp, err
		}
	}
}

// connect returns a connection: one that is kept, or a new one.
func (p *Pool) connect(ctx context.Context, to route, base *http.Transport) (c *conn, kept bool, err error) {
	for c := p.take(to); c != nil; c = p.take(to) {
		if base.IdleConnTimeout <= 0 || time.Since(c.since) < base.IdleConnTimeout {
			if c.isOpen() {
				return c, true, nil
			}
		}
		_ = c.Close()
	}
	p.mu.Lock()
	round := p.round
	p.mu.Unlock()
	type dialed struct {
		c   *conn
		err error
	}
	done := make(chan dialed)
	go func() {
		c, err := dial(ctx, to, base)
		if err == nil {
			c.round = round
		}
		select {
		case done <- dialed{c, err}:
		case <-ctx.Done():
			if err == nil {
				p.put(c) // for the next request
			}
		}
	}()
	select {
	case d := <-done:
		if d.err != nil {
			return nil, false, d.err
		}
		return d.c, false, nil
	case <-ctx.Done(): // a dialer need not know contexts
		return nil, false, context.Cause(ctx)
	}
}

// take returns the kept connection that was used last; nil when there is none.
func (p *Pool) take(to route) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.idle[to]
	if len(kept) == 0 {
		return nil
	}
	c := kept[len(kept)-1]
	kept[len(kept)-1] = nil
	p.idle[to] = kept[:len(kept)-1]
	p.count--
	return c
}

// put keeps a connection for the next exchange.
func (p *Pool) put(c *conn) {
	c.since = time.Now()
	perHost, most := cmp.Or(c.base.MaxIdleConnsPerHost, http.DefaultMaxIdleConnsPerHost), c.base.MaxIdleConns
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.round != p.round || !c.canLook() || len(p.idle[c.route]) >= perHost || most > 0 && p.count >= most {
		_ = c.Close()
		return
	}
	if p.idle == nil {
		p.idle = map[route][]*conn{}
	}
	p.idle[c.route] = append(p.idle[c.route], c)
	p.count++
	if p.sweep == nil && c.base.IdleConnTimeout > 0 {
		p.sweep = time.AfterFunc(c.base.IdleConnTimeout, p.closeOld)
	}
}

// closeOld closes what is idle for too long.
func (p *Pool) closeOld() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var next time.Duration
	for to, kept := range p.idle {
		p.idle[to] = slices.DeleteFunc(kept, func(c *conn) bool {
			left := c.base.IdleConnTimeout - time.Since(c.since)
			if left > 0 {
				next = max(next, left)
				return false
			}
			_ = c.Close()
			p.count--
			return true
		})
		if len(p.idle[to]) == 0 {
			delete(p.idle, to)
		}
	}
	if p.sweep = nil; next > 0 {
		p.sweep = time.AfterFunc(next, p.closeOld)
	}
}

// CloseIdle closes the connections that nobody uses, and lets those that are used close afterwards.
func (p *Pool) CloseIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.round++
	for _, kept := range p.idle {
		for _, c := range kept {
			_ = c.Close()
		}
	}
	p.idle, p.count = nil, 0
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
}
