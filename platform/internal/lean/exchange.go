package lean

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync/atomic"
)

// exchange is a request with its answer, and the body of that.
type exchange struct {
	pool *Pool
	conn *conn
	ctx  context.Context //nolint:containedctx // what its body ends with
	free func() bool     // lets the context go; false when it has ended
	body io.Reader       // of the answer, as it arrives
	keep bool            // the connection, when the body is over
	read bool            // to its end
	over atomic.Bool
}

// begin writes a request and reads the head of its answer. It reports whether a request that failed can go by another connection.
func (p *Pool) begin(r *http.Request, message []byte, c *conn, kept bool, hooks *httptrace.ClientTrace) (resp *http.Response, again bool, err error) {
	ctx := r.Context()
	e := &exchange{pool: p, conn: c, ctx: ctx}
	deadline, _ := ctx.Deadline()
	if err := c.SetDeadline(deadline); err != nil {
		_ = c.Close()
		return nil, kept, fmt.Errorf("the connection: %w", err)
	}
	e.free = context.AfterFunc(ctx, func() { _ = c.Close() })
	n, err := c.Write(message)
	if n > 0 && hooks != nil && hooks.WroteHeaders != nil { //mutate:lean-written
		hooks.WroteHeaders()
	}
	if hooks != nil && hooks.WroteRequest != nil {
		hooks.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
	if err != nil {
		e.end(false)
		return nil, kept && n == 0 && e.mayGoOn(err), e.reason(fmt.Errorf("write the request: %w", err)) //mutate:lean-again
	}
	c.limitHead()
	if _, err = c.in.Peek(1); err != nil {
		e.end(false)
		return nil, kept && isIdempotent(r) && e.mayGoOn(err), e.reason(fmt.Errorf("read the answer: %w", err)) //mutate:lean-asked
	}
	if hooks != nil && hooks.GotFirstResponseByte != nil {
		hooks.GotFirstResponseByte()
	}
	if resp, err = c.readHead(r); err != nil {
		e.end(false)
		return nil, false, e.reason(fmt.Errorf("read the answer: %w", err))
	}
	e.attach(resp, !c.base.DisableCompression)
	return resp, false, nil
}

// attach puts the body of an answer behind the exchange, which ends with it. zipped says that the answer may be compressed without anybody's knowing.
func (e *exchange) attach(resp *http.Response, zipped bool) {
	e.keep = !resp.Close && resp.StatusCode != http.StatusSwitchingProtocols //mutate:lean-switched
	if resp.Body == http.NoBody || resp.ContentLength == 0 || !e.keep && resp.StatusCode == http.StatusSwitchingProtocols {
		e.end(e.keep)
		resp.Body = http.NoBody
		return
	}
	e.body, resp.Body = resp.Body, e
	if zipped && strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		resp.Body = &unzipped{from: e}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
	}
}

// Read reads from the body until its end, or that of its context.
func (e *exchange) Read(p []byte) (int, error) {
	switch {
	case e.read:
		return 0, io.EOF
	case e.over.Load():
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := e.body.Read(p)
	switch err {
	case nil:
	case io.EOF: //nolint:errorlint // the readers of net/http say exactly this at the end
		e.read = true
		e.end(e.keep)
	default:
		err = e.reason(err)
		e.end(false)
	}
	return n, err
}

// Close ends the exchange. What of its body has not been read costs the connection.
func (e *exchange) Close() error {
	e.end(false)
	return nil
}

// mayGoOn reports whether there is time for another connection, after an error of this one.
func (e *exchange) mayGoOn(err error) bool {
	return e.ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// reason returns why the exchange ended: its context knows better than a connection that was given up for it, or than the parser of what had arrived by then.
func (e *exchange) reason(err error) error {
	switch {
	case e.ctx.Err() != nil:
		return context.Cause(e.ctx)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(e.conn.broke, os.ErrDeadlineExceeded): // the connection was a moment earlier
		return context.DeadlineExceeded
	default:
		return err
	}
}

// end lets the connection go, once.
func (e *exchange) end(keep bool) {
	if !e.over.CompareAndSwap(false, true) {
		return
	}
	if freed := e.free(); !freed || !keep || e.conn.broke != nil || e.conn.in.Buffered() > 0 { //mutate:lean-kept
		_ = e.conn.Close()
		return
	}
	e.pool.put(e.conn)
}

// unzipped is the body of a compressed answer.
type unzipped struct {
	from *exchange
	zip  *gzip.Reader // nil before the first byte
	err  error        // why there is none
}

// Read reads what the body held before it was compressed.
func (u *unzipped) Read(p []byte) (int, error) {
	if u.zip == nil && u.err == nil {
		u.zip, u.err = gzip.NewReader(u.from)
	}
	if u.err != nil {
		return 0, u.err
	}
	return u.zip.Read(p) //nolint:wrapcheck // as net/http says it
}

// Close ends the exchange.
func (u *unzipped) Close() error { return u.from.Close() }
