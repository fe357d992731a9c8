package platform

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

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
