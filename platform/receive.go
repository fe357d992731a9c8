package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
)

const (
	headSize    = 200 // bytes of an unreadable answer that are kept
	messageSize = 500 // bytes of the message of a refusal that are kept
)

// receiveAnswer reads an answer and decides by the code in it, not by the HTTP status.
func (c *core) receiveAnswer(ctx context.Context, req request, resp *http.Response, read func(envelope) error) error {
	buf, _ := c.buffers.Get().(*buffer)
	defer func() {
		if buf.reset() {
			c.buffers.Put(buf)
		}
	}()
	err := buf.readAll(resp.Body, resp.ContentLength, c.maxBody)
	var e envelope
	if err == nil {
		e, err = readEnvelope(buf.data, resp.StatusCode)
	}
	if err == nil && !req.acceptsCode(e.code) {
		return c.refusalError(req, resp, e)
	}
	if err == nil && read != nil {
		err = read(e)
	}
	if err == nil {
		noteUncoded(ctx, e)
		return nil
	}
	return c.unreadableError(req, resp, buf.data, err)
}

// refusalError returns the error of an answer with a code that means no.
func (c *core) refusalError(req request, resp *http.Response, e envelope) error {
	return &Refused{
		Endpoint: req.endpoint, Code: e.code, HTTPStatus: resp.StatusCode,
		Message: scrub.SafeExcerpt([]byte(cmp.Or(e.message.Prose(), e.named)), messageSize, c.known.allSecrets(req.params)), RetryAfter: retryAfter(resp.Header),
	}
}

// unreadableError returns the error of an answer that begins with head.
func (c *core) unreadableError(req request, resp *http.Response, head []byte, err error) error {
	secrets := c.known.allSecrets(req.params)
	e := &Unreadable{
		Endpoint: req.endpoint, HTTPStatus: resp.StatusCode, RetryAfter: retryAfter(resp.Header),
		Looks: looksLike(head), Err: scrub.ScrubError(withRedirect(err, resp), secrets),
	}
	if !req.signsIn { //mutate:sign-in-head
		e.Head = []byte(scrub.SafeExcerpt(head, headSize, secrets))
	}
	return e
}

// retryAfter reads the header of that name: seconds, or a date, which is one of the platform's clock.
func retryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if now, err := http.ParseTime(h.Get("Date")); err == nil { //mutate:retry-date
		return max(0, date.Sub(now))
	}
	return max(0, time.Until(date))
}

// Sizes of the buffers for answers, in bytes.
const (
	smallestBuffer = 4 << 10
	largestKept    = 1 << 20 // for the next answer
)

// buffer holds an answer while it is read.
type buffer struct{ data []byte }

// reset empties the buffer and reports whether it is worth keeping.
func (b *buffer) reset() bool {
	b.data = b.data[:0]
	return cap(b.data) <= largestKept
}

// readAll reads r to its end, so that the connection can be used again. expected is the length that
// the answer announced, or -1.
func (b *buffer) readAll(r io.Reader, expected, limit int64) error {
	if expected > limit {
		return ErrTooLarge
	}
	// One byte more than expected, to meet the end without growing.
	if need := max(expected+1, smallestBuffer); int64(cap(b.data)) < need {
		b.data = make([]byte, 0, need)
	}
	for {
		if len(b.data) == cap(b.data) {
			b.data = append(b.data, 0)[:len(b.data)]
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		switch {
		case int64(len(b.data)) > limit:
			return ErrTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the answer: %w", err)
		}
	}
}

// errSwitched is an answer behind which there is a connection and no body: HTTP 101.
var errSwitched = errors.New("it hands over the connection")

// bodyDeadline is the body of an answer that ends with its call. What net/http brings does so by itself as a rule; a connection that was
// handed over does not, and what other transports bring need not.
type bodyDeadline struct {
	io.ReadCloser
	at    time.Time
	timer *time.Timer
}

// Read implements io.Reader. Why a body ends that is closed under the hands of its reader would otherwise be told in many ways.
func (d *bodyDeadline) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !time.Now().Before(d.at) {
		err = context.DeadlineExceeded
	}
	return n, err
}

// boundBody lets the body of an answer end with ctx, which has a deadline. The body has to be released.
func (c *core) boundBody(ctx context.Context, resp *http.Response) *bodyDeadline {
	d, _ := c.deadlines.Get().(*bodyDeadline)
	d.ReadCloser = resp.Body
	d.at, _ = ctx.Deadline()
	resp.Body = d
	if left := time.Until(d.at); d.timer == nil {
		d.timer = time.AfterFunc(left, func() { _ = d.Close() }) //mutate:body-deadline
	} else {
		d.timer.Reset(left)
	}
	return d
}

// release closes a body that was read to its end, or is given up.
func (c *core) release(d *bodyDeadline) {
	pending := d.timer.Stop() //mutate:body-released
	_ = d.Close()
	// A timer that has gone off may be about to close its body still: that must not be another one's by then.
	if pending {
		d.ReadCloser = nil
		c.deadlines.Put(d)
	}
}
