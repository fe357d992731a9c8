package platform

import (
	"cmp"
	"context"
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

// receiveAnswer reads an answer and decides by the code in it, whatever the HTTP status is.
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
