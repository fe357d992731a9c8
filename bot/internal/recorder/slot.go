package recorder

import (
	"crypto/sha256"
	"encoding/hex"
)

// Slot is one use of a place in the file; 0 is none. After the use has ended it stands for nothing, also when the place is used again.
type Slot uint64

const placeBits = 20 // the lower bits of a slot are its place, those above count its uses

func (s Slot) placeIndex() int { return int(s&(1<<placeBits-1)) - 1 }

func (s Slot) useCount() uint64 { return uint64(s) >> placeBits }

// State is how something stands that is in a slot.
type State uint8

const (
	free State = iota
	// OnWire is an action with its request on the wire, or with an end that is not stored yet.
	OnWire
	// Served is an account: since then all of its actions that may have left are in the file. Of other accounts nothing is known.
	Served
	// Running is a trigger that is being handled: its code runs, or its turn is not stored yet.
	Running
	// Interrupted is a trigger that was being handled when an incarnation died, and has not been since.
	Interrupted
	// Alone is a trigger that is being handled while no other one is.
	Alone
	// Asking is the same while it waits for the platform, or for the store.
	Asking
	states
)

// row is what stands in a slot.
type row struct {
	state       State
	digested    bool // the id is too long: what stands there is a digest of both
	begun       uint64
	number      uint64 // see Incarnation.Number
	account, id string
}

// digestOf stands for ids that are too long.
func digestOf(account, id string) string {
	d := sha256.Sum256([]byte(account + "\x00" + id))
	return hex.EncodeToString(d[:])
}

// encode writes a row into a slot; false when it does not fit.
func (w *row) encode(b *[slotSize]byte) bool {
	account, id := w.account, w.id
	if w.digested {
		account, id = "", digestOf(account, id)
	}
	if len(account)+len(id) > slotSize-slotHead {
		return false
	}
	b[4], b[5] = byte(w.state), 0
	if w.digested {
		b[5] = 1
	}
	order.PutUint16(b[6:], uint16(len(account)))
	order.PutUint16(b[8:], uint16(len(id)))
	b[10], b[11] = 0, 0
	order.PutUint64(b[12:], w.begun)
	order.PutUint64(b[20:], w.number)
	n := slotHead + copy(b[slotHead:], account)
	n += copy(b[n:], id)
	clear(b[n:])
	sign(b[:], 0)
	return true
}

// decodeRow reads a slot; ok is false when it is torn.
func decodeRow(b []byte) (w row, ok bool) {
	if b[4] == 0 && order.Uint32(b) == 0 {
		return w, true
	}
	w.state, w.digested = State(b[4]), b[5] != 0
	n, m := int(order.Uint16(b[6:])), int(order.Uint16(b[8:]))
	if !isWhole(b[:slotSize], 0) || w.state >= states || w.state == free || slotHead+n+m > slotSize {
		return row{}, false
	}
	w.begun, w.number = order.Uint64(b[12:]), order.Uint64(b[20:])
	w.account, w.id = string(b[slotHead:slotHead+n]), string(b[slotHead+n:slotHead+n+m])
	return w, true
}
