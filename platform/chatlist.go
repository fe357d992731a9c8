package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
)

// ChatList says how much of a chat list arrived, and how near that came to the bounds of the client.
type ChatList struct {
	Rows    int
	Bytes   int64         // of the answer, after decompression
	Limit   int64         // Config.MaxList
	Took    time.Duration // from when the request left
	Timeout time.Duration // Config.Timeout
}

// OfLimit returns the share of the limit that the list took, from 0 to 1.
func (l ChatList) OfLimit() float64 { return float64(l.Bytes) / float64(max(l.Limit, 1)) }

// OfTimeout returns the share of the time that the list took; 1 is all there is for an answer.
func (l ChatList) OfTimeout() float64 { return float64(l.Took) / float64(max(l.Timeout, 1)) }

// CutBy says what cuts a list.
type CutBy string

// What cuts a list.
const (
	CutByLimit    CutBy = "limit"    // it is longer than Config.MaxList
	CutByDeadline CutBy = "deadline" // it took longer than Config.Timeout
	CutByFault    CutBy = "fault"    // the connection broke, or the answer is no JSON from there on
)

// Cut is a chat list of which the beginning arrived. The rows in it are good; of the others nothing is known.
type Cut struct {
	Endpoint string
	By       CutBy
	List     ChatList // what arrived
	Err      error    // why there is no more
}

// Error implements error.
func (c *Cut) Error() string {
	return fmt.Sprintf("%s: only a part of the list arrived: %d rows, %d bytes in %v, cut by the %s: %v",
		c.Endpoint, c.List.Rows, c.List.Bytes, c.List.Took.Round(time.Millisecond), c.By, c.Err)
}

// Unwrap returns why there is no more.
func (c *Cut) Unwrap() error { return c.Err }

// rowCall is a call whose answer is read row by row.
type rowCall struct {
	rows  rowReader
	whole bool // a part of the list is no answer: it has pages, and is no longer than other answers are
	got   ChatList
	took  func() (rows, sent int) // what the reader took of the rows that were sent
}

// receiveRows reads an answer, and decides by the code in it, or by the rows where a part of it is missing.
func (l *rowCall) receiveRows(ctx context.Context, c *core, req request, resp *http.Response, left time.Time) error {
	buf, _ := c.buffers.Get().(*buffer)
	defer func() {
		if buf.reset() {
			c.buffers.Put(buf)
		}
	}()
	s := rowStream{in: resp.Body, buf: buf, limit: c.maxList, most: int(min(c.maxBody, c.maxList))}
	if l.whole {
		s.limit = c.maxBody
	}
	s.begin(resp.ContentLength)
	var e envelope
	err := s.readAnswer(&e, l.rows)
	if l.whole && errors.Is(err, errLimit) {
		err = ErrTooLarge
	}
	rows, sent := l.took()
	l.got = ChatList{Rows: rows, Bytes: s.read, Limit: c.maxList, Took: time.Since(left), Timeout: c.timeout}
	if errors.Is(err, errEmptyBody) && resp.StatusCode == http.StatusNoContent {
		e.code, e.coded, err = resp.StatusCode, true, nil
	}
	// What speaks of a failure behind the place where a list breaks off nobody knows: the rows that arrived count.
	unclear := e.deriveCode(resp.StatusCode, s.list || e.data != nil)
	known := unclear == nil
	if err == nil {
		err = unclear
	}
	if known && !req.acceptsCode(e.code) && (err == nil || s.list && !l.whole) {
		return c.refusalError(req, resp, e)
	}
	switch {
	case err != nil && !l.whole && known && s.list && rows > 0 && !errors.Is(err, errNotEnvelope) && !errors.Is(ctx.Err(), context.Canceled):
		return &Cut{Endpoint: req.endpoint, By: cutBy(ctx, err), List: l.got, Err: scrub.ScrubError(err, c.known.allSecrets(req.params))}
	case err != nil:
	case !s.list && !e.data.IsNothing():
		err = errNoList
	case sent > 0 && rows == 0:
		err = errNoID // every row is odd: it is the reading that is wrong
	default:
		return nil
	}
	return c.unreadableError(req, resp, s.answerBeginning(), err)
}

// cutBy says what an error of reading a list means.
func cutBy(ctx context.Context, err error) CutBy {
	switch {
	case errors.Is(err, errLimit):
		return CutByLimit
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return CutByDeadline
	default:
		return CutByFault
	}
}
