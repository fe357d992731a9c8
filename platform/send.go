package platform

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
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
