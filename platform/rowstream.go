package platform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// windowSize is how much of a list is held while it arrives, in bytes: rows are read from it. It grows where a
// single value is longer.
const windowSize = 128 << 10

// errLimit is a list that is longer than the bound of the client.
var errLimit = errors.New("it is larger than MaxList")

// rowReader takes the rows of a list while it arrives.
type rowReader interface {
	// begin is called before the first row of a list, again should there be another list.
	begin()
	// readRow passes over the row that begins at b[i] and returns the index behind it, or -1 if it is not whole.
	readRow(b []byte, i int) (end int)
}

// rowStream reads an answer whose data is a list without pages. It never holds more of it than a window.
type rowStream struct {
	in    io.Reader
	buf   *buffer // what was read; that before at was passed over
	at    int
	read  int64  // bytes of the answer so far
	limit int64  // of them
	most  int    // how long a single value may be
	err   error  // why there is no more to read, io.EOF at the end
	head  []byte // the beginning of the answer, once it is gone from buf

	list bool // the data is a list, or the beginning of one
}

// begin reads the first window of an answer that announced its length, or -1.
func (s *rowStream) begin(expected int64) {
	size := int64(windowSize)
	if 0 <= expected && expected < size {
		size = max(expected+1, smallestBuffer) // one byte more than expected, to meet the end at once
	}
	if int64(cap(s.buf.data)) < size {
		s.buf.data = make([]byte, 0, size)
	}
	s.more()
}

// more reads on until the window is full, and reports whether it read anything. What was passed over is gone
// then.
func (s *rowStream) more() bool {
	if s.err != nil {
		return false
	}
	b := s.buf.data
	if s.at > 0 {
		// Kept before it is passed over: when the answer turns out to be none, how it began is what a person is told.
		if s.head == nil {
			s.head = bytes.Clone(b[:min(len(b), scrub.Window)])
		}
		b = b[:copy(b, b[s.at:])]
		s.at = 0
	}
	if len(b) == cap(b) {
		// A single value is longer than may be. A hostile platform would otherwise fill the memory with one row.
		if len(b) >= s.most {
			s.err = ErrTooLarge
			return false
		}
		b = append(b, 0)[:len(b)]
	}
	before, room := len(b), b[len(b):cap(b)]
	if left := s.limit - s.read; int64(len(room)) > left {
		room = room[:left]
		// What has arrived counts: the newest chats come first, and a list that is cut is better than none.
		if left == 0 {
			s.err = errLimit
		}
	}
	for len(room) > 0 && s.err == nil {
		var n int
		n, s.err = s.in.Read(room)
		b, room = b[:len(b)+n], room[n:]
		s.read += int64(n)
	}
	if s.err != nil && !errors.Is(s.err, io.EOF) && !errors.Is(s.err, errLimit) {
		s.err = fmt.Errorf("read the answer: %w", s.err)
	}
	s.buf.data = b
	return len(b) > before
}

// readAnswer reads an answer and shows its rows to rows. The error says why the answer is not whole. Then e holds what
// arrived.
func (s *rowStream) readAnswer(e *envelope, rows rowReader) error {
	start := envelopeStart(s.buf.data)
	for start < 0 && s.more() {
		start = envelopeStart(s.buf.data)
	}
	switch {
	case start < 0 && s.stopError() != nil:
		return s.stopError()
	case start < 0 && len(bytes.TrimSpace(s.buf.data)) == 0:
		return errEmptyBody
	case start < 0:
		return errNotEnvelope
	}
	s.at = start + 1
	whole := s.members(e, rows)
	switch {
	case !whole && s.stopError() != nil:
		return s.stopError()
	case !whole:
		return ErrCutOff
	case !s.ends():
		return errNotEnvelope
	}
	return nil
}

// answerBeginning returns how the answer began.
func (s *rowStream) answerBeginning() []byte {
	if s.head != nil {
		return s.head
	}
	return s.buf.data
}

// stopError returns why the answer could not be read to its end, nil if it was.
func (s *rowStream) stopError() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// members takes the envelope apart, of which the brace was read. It reports whether the envelope is whole.
func (s *rowStream) members(e *envelope, rows rowReader) (whole bool) {
	for begun := false; ; {
		o := wire.ObjectFrom(s.buf.data, s.at, begun)
		start := o.Seek()
		if end := o.End(); start < 0 && end >= 0 {
			s.at = end
			return true
		}
		if start >= 0 && s.member(e, rows, string(o.Key), start) {
			begun = true
			continue
		}
		if !s.more() {
			return false
		}
	}
}

// member reads the member of the envelope with the given key, which has its value at start, and moves behind
// it. It is false while the value is not whole.
func (s *rowStream) member(e *envelope, rows rowReader, key string, start int) bool {
	if key == "data" {
		is, sure := listBegins(s.buf.data, start)
		switch {
		case is:
			s.at, s.list, e.data = start, true, nil
			return s.readRows(rows)
		// Whether it is a list shows with the next bytes. To take it for something else now would hold all of it in memory.
		case !sure && s.err == nil:
			return false
		}
		// There was a list before, and this data takes its place, as with any member that comes twice: its rows are no rows of this answer.
		if s.list {
			s.list = false
			rows.begin()
		}
	}
	end := wire.Skip(s.buf.data, start, 1)
	if end < 0 {
		return false
	}
	val := wire.Value(s.buf.data[start:end])
	switch key {
	case "message":
		e.message = bytes.Clone(val)
	case "data":
		e.data = bytes.Clone(val)
	default:
		e.readMember(key, val)
	}
	s.at = end
	return true
}

// listBegins reports whether the value that begins at b[i] is a list: an array, or an object with numbers for
// keys. It is not sure while it does not see enough.
func listBegins(b []byte, i int) (is, sure bool) {
	switch b[i] {
	case '[':
		return true, true
	case '{':
		o := wire.ObjectAt(b, i)
		if o.Seek() >= 0 {
			return wire.IsDigits(o.Key), true
		}
		empty := o.End() >= 0
		return empty, empty
	default:
		return false, true
	}
}

// readRows shows the rows of the list that begins at s.at to rows, and moves behind the list. It is false when the
// list is not whole, and cannot become so.
func (s *rowStream) readRows(rows rowReader) bool {
	rows.begin()
	closing := wire.ClosingOf(s.buf.data[s.at])
	s.at++
	for begun := false; ; {
		l := wire.ListFrom(s.buf.data, s.at, begun, closing)
		for start := l.Seek(); start >= 0; start = l.Seek() {
			if !l.TakeValue(start, rows.readRow(s.buf.data, start)) {
				break
			}
			s.at, begun = l.At, true
		}
		if end := l.End(); end >= 0 {
			s.at = end
			return true
		}
		if !s.more() {
			return false
		}
	}
}

// ends reports whether nothing but white space is left of the answer, as far as it can be read.
func (s *rowStream) ends() bool {
	for {
		if s.at = wire.SkipSpaces(s.buf.data, s.at); s.at < len(s.buf.data) {
			return false
		}
		if !s.more() {
			return true
		}
	}
}

// leastKept is how many rows of a page are kept, however few it was asked for.
const leastKept = 200

// RowsKept returns how many rows are kept at most of a page that was asked for with size. A platform may send more than it is asked
// for, as many as fit an answer; the rest is asked for with the next page.
func RowsKept(size int) int { return max(leastKept, 4*pageSize(size)) }

// kept are the rows of a page that are kept while it is read: the nearest ones to where the reading came from.
type kept[T any] struct {
	items []T
	sent  int // rows that the platform sent, also those that could not be read, or are not kept
	read  int // rows of these that could be read

	most    int                // that are kept; 0: all
	nearest func(a, b *T) int  // a negative number when a is nearer; 0: they are one row; nil: as they come
	outside func(item *T) bool // rows that nobody asked for; nil: there are none
	decode  func(wire.Value) (T, bool)
}

// begin is called before the first row, again should there be another list in its place.
func (k *kept[T]) begin() { k.items, k.sent, k.read = nil, 0, 0 }

// readRow implements rowReader.
func (k *kept[T]) readRow(b []byte, i int) (end int) {
	if end = wire.Skip(b, i, 2); end >= 0 {
		k.add(k.decode(b[i:end]))
	}
	return end
}

// add takes the next row, if it could be read.
func (k *kept[T]) add(item T, ok bool) {
	if k.sent++; !ok {
		return
	}
	k.read++
	switch {
	case k.outside != nil && k.outside(&item):
		return
	case k.nearest == nil && k.most > 0 && len(k.items) == k.most: //mutate:rows-first
		return
	}
	k.items = append(k.items, item)
	// Now and then, so that there are never more than twice as many, however many come.
	if k.nearest != nil && k.most > 0 && len(k.items) >= 2*k.most {
		k.cut()
	}
}

// cut drops the rows that are too many, the farthest ones. Where there are not, it changes nothing.
func (k *kept[T]) cut() {
	if k.most == 0 || len(k.items) <= k.most { //mutate:rows-kept
		return
	}
	slices.SortStableFunc(k.items, func(a, b T) int { return k.nearest(&a, &b) })
	k.items = slices.CompactFunc(k.items, func(a, b T) bool { return k.nearest(&a, &b) == 0 })
	if len(k.items) > k.most {
		clear(k.items[k.most:])
		k.items = k.items[:k.most]
	}
}

// streamRows makes a call that answers with a page of a list, and reads it while it arrives: of an answer of megabytes, no more is held than
// a window and the rows that are kept.
func (k *kept[T]) streamRows(ctx context.Context, c *Client, req request) ([]T, error) {
	about, _ := ctx.Value(pageKey{}).(*pageRead)
	if about != nil && about.whole {
		k.most = 0
	}
	l := rowCall{rows: k, whole: true, took: func() (rows, sent int) { return k.read, k.sent }}
	req.list, req.rows = true, &l
	if err := c.call(ctx, req, nil); err != nil {
		return nil, err
	}
	if about != nil {
		about.sent, about.cut = k.sent, k.most > 0 && k.read > k.most
	}
	k.cut()
	return k.items, nil
}
