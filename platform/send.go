package platform

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
)

var errNoResponse = errors.New("the transport returned no answer")

// send makes one exchange with the platform and decides what came of it.
func (c *core) send(ctx context.Context, req request, read func(envelope) error) error {
	form, err := newForm(req)
	if err == nil {
		err = ctx.Err() // transports need not look before they send
	}
	if err != nil {
		return &Unreachable{Endpoint: req.endpoint, Err: err}
	}
	defer form.stop()
	left, progress := time.Now(), newProgress()
	resp, err := c.exchange(httptrace.WithClientTrace(ctx, &progress.trace), req, form) //nolint:bodyclose // it is released
	if err != nil {
		sent := progress.mayHaveLeft(err)
		return &Unreachable{Endpoint: req.endpoint, Sent: sent, Err: scrub.ScrubError(err, c.known.allSecrets(req.params))}
	}
	defer c.release(c.boundBody(ctx, resp))
	c.clock.compareClocks(resp.Header, left)
	switch {
	// Its body is the connection itself, which may never say a word, and which no deadline ends.
	case resp.StatusCode == http.StatusSwitchingProtocols: //mutate:body-switched
		return c.unreadableError(req, resp, nil, errSwitched)
	case req.rows != nil:
		return req.rows.receiveRows(ctx, c, req, resp, left)
	default:
		return c.receiveAnswer(ctx, req, resp, read)
	}
}

// exchange sends a request and returns the head of its answer, behind redirects. It does not use
// http.Client, which follows more of them, and keeps the address in its errors.
func (c *core) exchange(ctx context.Context, req request, form form) (*http.Response, error) {
	u := c.address(req)
	for followed := 0; ; followed++ {
		resp, err := c.transport.RoundTrip(c.httpRequest(ctx, req.method, u, form))
		switch {
		case err != nil:
			return nil, err
		case resp == nil:
			return nil, errNoResponse
		case resp.Body == nil:
			resp.Body = http.NoBody
		}
		next := redirectTarget(resp, u, form)
		if next == nil || followed == maxRedirects {
			return resp, nil
		}
		if c.limiter != nil {
			c.limiter.Charge()
		}
		body := c.boundBody(ctx, resp)
		_, _ = io.CopyN(io.Discard, body, largestKept) // to use the connection again
		c.release(body)
		u = next
	}
}

// address returns where a request goes, with the parameters if they stand there.
func (c *core) address(req request) *url.URL {
	u := c.base
	u.Path += "/" + req.endpoint
	if u.RawPath != "" {
		u.RawPath += "/" + req.endpoint
	}
	if req.method == http.MethodGet {
		u.RawQuery = req.params.encode()
	}
	return &u
}

func (c *core) httpRequest(ctx context.Context, method string, u *url.URL, form form) *http.Request {
	header := http.Header{"User-Agent": c.userAgent}
	if form.contentType != nil {
		header["Content-Type"] = form.contentType
	}
	r := http.Request{
		Method: method, URL: u, Host: u.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: form.length,
	}
	switch {
	case form.file != nil:
		r.Body = io.NopCloser(form.body)
	case form.contentType != nil:
		r.Body = io.NopCloser(strings.NewReader(form.text))
		// Without this, a connection that the server has closed meanwhile fails the call although
		// nothing of it was written.
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(form.text)), nil }
	}
	return r.WithContext(ctx)
}

// progress follows how far a request came.
type progress struct {
	trace   httptrace.ClientTrace
	watched atomic.Bool // the transport tells how far it is
	written atomic.Bool
}

func newProgress() *progress {
	p := new(progress)
	p.trace.GetConn = func(string) { p.watched.Store(true) }
	p.trace.WroteHeaders = func() { p.written.Store(true) }
	return p
}

// mayHaveLeft reports whether the request that ended with err may have left. A transport that does not tell
// how far it came is taken to have sent everything, unless err says that no connection was made. Headers count as written before
// they are: a transport that looks at the socket knows better.
func (p *progress) mayHaveLeft(err error) bool {
	if errors.Is(err, ErrUnsent) {
		return false
	}
	if p.written.Load() {
		return true
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
		return false
	}
	return !p.watched.Load()
}

const (
	clockPause = 10 * time.Second // between two looks at what time it is
	clockSlow  = 10 * time.Second // answers that took longer say too little about when they were made
)

// clock compares the clock of this machine with what answers say of the platform's.
type clock struct {
	tell  func(ahead time.Duration) // nil: nobody wants to know
	begun time.Time                 // for a clock that nobody sets
	next  atomic.Int64              // when to look again, in nanoseconds since begun
}

// compareClocks compares the clocks now and then, by the answer to a request that left at a time.
func (c *clock) compareClocks(h http.Header, left time.Time) {
	if c.tell == nil {
		return
	}
	back := time.Now()
	now, next := int64(back.Sub(c.begun)), c.next.Load()
	if now < next {
		return
	}
	if ahead, ok := clockAhead(h, left, back); ok && c.next.CompareAndSwap(next, now+int64(clockPause)) {
		c.tell(ahead)
	}
}

// clockAhead returns by how much the clock of this machine is ahead of the one of an answer, to a second; false when the answer does not
// say what time it is.
func clockAhead(h http.Header, left, back time.Time) (ahead time.Duration, ok bool) {
	date, err := http.ParseTime(h.Get("Date"))
	took := back.Sub(left)
	if err != nil || took > clockSlow {
		return 0, false
	}
	// The header has whole seconds, cut off.
	return back.Round(0).Add(-took / 2).Sub(date.Add(time.Second / 2)).Round(time.Second), true
}
