package platform

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// rowSize is about how long a row is, in bytes.
const rowSize = 256

// chatCutter cuts a chat list into rows, in one pass over the answer.
type chatCutter struct {
	rows []chatRow
	sent int  // rows that the platform sent
	list bool // it was a list
}

// scan passes over the list that begins at b[i] and returns the index behind it, or -1 if it is none.
func (c *chatCutter) scan(b []byte, i int) (end int) {
	*c = chatCutter{rows: c.rows[:0]}
	if i >= len(b) || b[i] != '[' && b[i] != '{' {
		return -1
	}
	if c.rows == nil {
		c.rows = make([]chatRow, 0, (len(b)-i)/rowSize+1)
	}
	l := listAt(b, i)
	for start := l.seek(); start >= 0; start = l.seek() {
		c.sent++
		end := c.cut(b, start)
		if end < 0 {
			end = skip(b, start, 2)
		}
		if !l.take(start, end) {
			return -1
		}
	}
	end = l.end()
	c.list = end >= 0
	return end
}

// cut passes over the row that begins at b[i] and returns the index behind it, or -1 if it is no row.
func (c *chatCutter) cut(b []byte, i int) (end int) {
	if b[i] != '{' {
		return -1
	}
	row := chatRow{start: i}
	o := objectAt(b, i)
	for o.next() {
		switch string(o.key) {
		case "user_id":
			row.peer = UserID(o.val.id())
		case "new_messages":
			row.unread = o.val.count()
		case "time":
			row.timeStart, row.timeEnd = o.at-len(o.val), o.at
		}
	}
	if row.end = o.end(); row.end < 0 || row.peer == 0 {
		return row.end
	}
	if row.timeEnd == 0 {
		row.timeStart, row.timeEnd = row.end, row.end
	}
	row.digest = digest(b[row.start:row.timeStart], b[row.timeEnd:row.end])
	c.rows = append(c.rows, row)
	return row.end
}

// take takes the list over from the buffer it arrived in.
func (c *chatCutter) take(e envelope) (ChatRows, error) {
	switch {
	case e.data.nothing():
		return ChatRows{body: bytes.Clone(e.body)}, nil
	case !c.list:
		return ChatRows{}, errNoList
	case c.sent > 0 && len(c.rows) == 0:
		return ChatRows{}, errNoID
	}
	return ChatRows{body: bytes.Clone(e.body), rows: c.rows}, nil
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
