package recorder

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
)

// The file: a head, a beat, two places for the verdict, of which the later one that is whole counts, and the slots. All numbers are little
// endian. Each part has a sum of its own.
const (
	magic = "nectarr1"

	headSize    = 512
	beatAt      = headSize
	beatSize    = 64
	verdictAt   = 4096
	verdictSize = 128 << 10 // with its head
	verdictHead = 16
	slotsAt     = verdictAt + 2*verdictSize
	slotSize    = 256
	slotHead    = 28
	word        = 8 // that a slot begins with: zero while it is free
	firstSlots  = 1024
	mostSlots   = 1 << 16

	// MostVerdict is how long a verdict may be.
	MostVerdict = verdictSize - verdictHead

	nameSize = 128 // of each name in the head
	mostFile = slotsAt + mostSlots*slotSize
)

var (
	order = binary.LittleEndian
	sums  = crc32.MakeTable(crc32.Castagnoli)
)

// sign puts the sum of a part into it, at a place.
func sign(part []byte, at int) { order.PutUint32(part[at:], sum(part, at)) }

// isWhole reports whether a part has the sum that stands in it.
func isWhole(part []byte, at int) bool { return order.Uint32(part[at:]) == sum(part, at) }

func sum(part []byte, at int) uint32 {
	return crc32.Update(crc32.Checksum(part[:at], sums), sums, part[at+4:])
}

// head is what stands in a file once.
type head struct {
	Incarnation

	device, inode uint64 // of the file: a copy has others
}

func (h *head) encode() []byte {
	b := make([]byte, headSize)
	copy(b, magic)
	for i, n := range []uint64{h.device, h.inode, uint64(h.Start), uint64(h.Deaths)} {
		order.PutUint64(b[16+8*i:], n)
	}
	for i, name := range []string{h.Boot, h.Database, h.Version} {
		copy(b[48+nameSize*i:48+nameSize*(i+1)], name)
	}
	sign(b, 8)
	return b
}

func decodeHead(b []byte) (h head, ok bool) {
	if len(b) < headSize || string(b[:len(magic)]) != magic || !isWhole(b[:headSize], 8) {
		return h, false
	}
	number := func(i int) uint64 { return order.Uint64(b[16+8*i:]) }
	name := func(i int) string { return string(bytes.TrimRight(b[48+nameSize*i:48+nameSize*(i+1)], "\x00")) }
	h.device, h.inode, h.Start, h.Deaths = number(0), number(1), int64(number(2)), int(number(3))
	h.Boot, h.Database, h.Version = name(0), name(1), name(2)
	return h, true
}

// beat is the sign of life of a process, and how it ended.
type beat struct {
	steady, wall int64  // nanoseconds since the boot, and since 1970
	number       uint64 // see Incarnation.Number
	clean        bool   // it is over, and all was ended
	lossy        bool   // not everything that is on the wire has a slot
}

func (b *beat) encode() []byte {
	other := make([]byte, beatSize)
	order.PutUint64(other[8:], uint64(b.steady))
	order.PutUint64(other[16:], uint64(b.wall))
	order.PutUint64(other[24:], b.number)
	if b.clean {
		other[32] = 1
	}
	if b.lossy {
		other[33] = 1
	}
	sign(other, 0)
	return other
}

func decodeBeat(b []byte) (v beat, ok bool) {
	if !isWhole(b, 0) {
		return v, false
	}
	v.steady, v.wall, v.number = int64(order.Uint64(b[8:])), int64(order.Uint64(b[16:])), order.Uint64(b[24:])
	v.clean, v.lossy = b[32] != 0, b[33] != 0
	return v, true
}

// encodeVerdict puts a verdict into its form.
func encodeVerdict(verdict []byte, turn uint64) []byte {
	b := make([]byte, verdictHead+len(verdict))
	order.PutUint32(b[4:], uint32(len(verdict)))
	order.PutUint64(b[8:], turn)
	copy(b[verdictHead:], verdict)
	sign(b, 0)
	return b
}

// decodeVerdict returns the later one of two that are whole; nil when there is none.
func decodeVerdict(b []byte) (verdict []byte, turn uint64) {
	for i := range 2 {
		part := b[verdictSize*i : verdictSize*(i+1)]
		n := order.Uint32(part[4:])
		if n > MostVerdict || !isWhole(part[:verdictHead+n], 0) {
			continue
		}
		if t := order.Uint64(part[8:]); t > turn {
			verdict, turn = bytes.Clone(part[verdictHead:verdictHead+n]), t
		}
	}
	return verdict, turn
}

// fillZeros writes zeros.
func fillZeros(f *os.File, from, to int64) error {
	zeros := make([]byte, 64<<10)
	for at := from; at < to; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), to-at)], at); err != nil {
			return err
		}
	}
	return nil
}
