package platform

import (
	"encoding/binary"
	"math/bits"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// chatCutter cuts a chat list into rows, in one pass over the answer. It is a rowReader.
type chatCutter struct {
	each func(i int, row *ChatRow)
	now  ChatRow
	rows int // that name a peer
	sent int // rows that the platform sent
}

func (c *chatCutter) begin() { c.rows, c.sent = 0, 0 }

// readRow passes over a row, or over whatever stands in its place.
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
	// Without its age, which is another one with each list: every row would seem to have moved.
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
