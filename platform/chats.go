package platform

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// Chat is a row of the chat list. The list tells neither the last message's id nor its sender.
type Chat struct {
	Peer     UserID
	Chat     ChatID
	Username string // without "@"
	Name     string
	Last     string // text of the last message, perhaps cut; HTML entities decoded, without markup
	Marked   string // the same with the markup that the platform has put into it; "" where there is none
	Unread   int
	Time     string // humanised ("5 minutes ago"); it ages by itself
}

// ChatRow is a row of the chat list while it is read. It is valid only until the function that gets it returns.
type ChatRow struct {
	Peer   UserID // the other person
	Unread int    // messages that are unread, as far as the platform tells
	// Digest is a hash of the row without its time, which ages by itself. Equal rows have equal digests, in
	// every process; that different rows have different ones is as good as certain.
	Digest uint64

	row, time wire.Value
}

// RawTime returns the humanised time as it stands in the answer, to be compared with that of another row.
func (r *ChatRow) RawTime() []byte { return r.time }

// Time returns the humanised time.
func (r *ChatRow) Time() string { return r.time.Name() }

// Decode reads the row.
func (r *ChatRow) Decode() Chat {
	chat, _ := readChat(r.row) // it has a peer, or would be no row
	return chat
}

// Chats reads the chat list. It has no pages. An error that is a *Cut comes with the rows that arrived.
func (c *Client) Chats(ctx context.Context) ([]Chat, error) {
	var chats []Chat
	list, err := c.ChatRows(ctx, func(i int, row *ChatRow) {
		chats = append(chats[:i], row.Decode())
	})
	if cut := (*Cut)(nil); err != nil && !errors.As(err, &cut) {
		return nil, err
	}
	return chats[:list.Rows], err
}

// ChatRows reads the chat list while it arrives, and calls each with every row, the first of which has the
// number 0. It holds no more than a few rows at a time, so each may keep nothing of a row but what it copies.
//
// The error is a *Cut when a part of the list arrived: its rows count. With any other error, none does. Should the
// rows begin anew with 0, as in an answer with two lists, the earlier ones do not count: there are ChatList.Rows.
func (c *Client) ChatRows(ctx context.Context, each func(i int, row *ChatRow)) (ChatList, error) {
	cut := chatCutter{each: each}
	l := rowCall{rows: &cut, took: func() (rows, sent int) { return cut.rows, cut.sent }}
	req := request{
		method: http.MethodGet, endpoint: "get_chats", access: protected, list: true, params: newParams(), rows: &l,
	}
	err := c.call(ctx, req, nil)
	return l.got, err
}

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

// rowCall is a call with an answer that is read row by row.
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

// chatCutter cuts a chat list into rows, in one pass over the answer. It is a rowReader.
type chatCutter struct {
	each func(i int, row *ChatRow)
	now  ChatRow
	rows int // that name a peer
	sent int // rows that the platform sent
}

func (c *chatCutter) begin() { c.rows, c.sent = 0, 0 }

// readRow passes over a row, or over any other value in its place.
func (c *chatCutter) readRow(b []byte, i int) (end int) {
	if end = c.cut(b, i); end < 0 {
		end = wire.Skip(b, i, 2)
	}
	if end >= 0 {
		c.sent++
	}
	return end
}

// cut passes over the row that begins at b[i] and returns the index behind it, or -1 if it is no row.
func (c *chatCutter) cut(b []byte, i int) (end int) {
	if b[i] != '{' {
		return -1
	}
	row := &c.now
	*row = ChatRow{}
	var timeStart, timeEnd int
	o := wire.ObjectAt(b, i)
	for o.Next() {
		// Only what tells whether the row moved is read now. Most rows of a long list did not, and are never decoded.
		switch string(o.Key) {
		case "user_id":
			row.Peer = UserID(o.Val.ID())
		case "new_messages":
			row.Unread = o.Val.Count()
		case "time":
			timeStart, timeEnd = o.At-len(o.Val), o.At
		}
	}
	if end = o.End(); end < 0 || row.Peer == 0 {
		return end
	}
	if timeEnd == 0 {
		timeStart, timeEnd = end, end
	}
	row.row, row.time = b[i:end], b[timeStart:timeEnd]
	// Without its age, which changes with each list: with it, every row would seem to have moved.
	row.Digest = digest(b[i:timeStart], b[timeEnd:end])
	c.each(c.rows, row)
	c.rows++
	return end
}

// Odd numbers with evenly spread bits, from the fractional parts of the golden ratio, e and pi.
const (
	digestSeed  = 0x9E3779B97F4A7C15
	digestWord  = 0xB7E151628AED2A6B
	digestFinal = 0x243F6A8885A308D3
)

// digest hashes two pieces of a row, sixteen bytes at a time.
func digest(before, behind []byte) uint64 {
	return fold(hash(hash(digestSeed, before), behind), digestFinal)
}

func hash(h uint64, piece []byte) uint64 {
	length := uint64(len(piece))
	for ; len(piece) >= 16; piece = piece[16:] {
		h = fold(binary.LittleEndian.Uint64(piece)^digestWord, binary.LittleEndian.Uint64(piece[8:])^h)
	}
	var tail [16]byte
	copy(tail[:], piece)
	h = fold(binary.LittleEndian.Uint64(tail[:])^digestWord, binary.LittleEndian.Uint64(tail[8:])^h)
	return fold(h^length, digestWord)
}

// fold multiplies to 128 bits and folds the halves together, so that every bit reaches every other.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
