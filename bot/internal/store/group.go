package store

import (
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/record"
)

// engine is a database as the writer sees it.
type engine interface {
	// apply tries to store a group in one transaction: of each write that is not to be skipped all, in
	// their order, or of the whole group nothing. In the latter case the error is the write's with the
	// index bad, or, when bad is negative, the database's; an unclear.Error when the group may be stored all the
	// same. The group's number is stored with it.
	apply(g *group) (bad int, err error)
	// isStored reports whether number is that of the last group that was stored. What it says of a group that apply
	// has returned stays true: one that is not stored by then will not be.
	isStored(number int64) (bool, error)
	// mostWrites is how many writes a group has at most.
	mostWrites() int
}

// group is what one database commit stores. An engine asks which writes to skip, one after another,
// and reports those that it drops and the actions that it denies.
type group struct {
	number   int64 // higher than that of every group before
	writes   []Write
	receipts []Receipt
	refused  []bool // writes that are not tried again; their receipts are final
	cursors  []record.Cursor
	broke    []*Sequence // sequences that broke in this try
}

// begin makes ready for a try.
func (g *group) begin() {
	for _, l := range g.broke {
		// Nothing of the last try is stored, so nothing was computed on the wrong thing yet. What is refused for good breaks its sequence
		// anew, in skip.
		l.broken = false
	}
	g.broke = g.broke[:0]
	for i := range g.receipts {
		if !g.refused[i] {
			g.receipts[i] = Receipt{}
		}
	}
}

// skipWrite reports whether nothing of write i is to be stored: it was refused, or its turn was computed on a
// turn that is not stored.
func (g *group) skipWrite(i int) bool {
	sequence := g.writes[i].sequenceOf()
	switch { // what was computed on a turn that is not stored is not stored either, or an answer would stand for a question that nobody has asked
	case g.refused[i]:
		g.breakSequence(sequence)
	case sequence != nil && sequence.broken:
		g.receipts[i] = Receipt{Err: ErrStale}
	default:
		return false
	}
	return true
}

// noteDropped notes that the trigger of write i had been handled before, and that nothing of it is stored.
func (g *group) noteDropped(i int) {
	// Those behind it were computed on what it decided this time, and the store has what was decided the first time.
	g.receipts[i] = Receipt{Dropped: true}
	g.breakSequence(g.writes[i].sequenceOf())
}

// noteDenied notes that an action of write i must not leave.
func (g *group) noteDenied(i, action int) {
	g.receipts[i].Denied = append(g.receipts[i].Denied, action)
}

// denyTurn notes that a limit use of write i's turn was denied, and that nothing of it is stored.
func (g *group) denyTurn(i int, limit string) {
	g.receipts[i] = Receipt{Err: &DeniedError{limit}}
	g.breakSequence(g.writes[i].sequenceOf())
}

// noteStale notes that what the turn of write i was made of has changed, and that nothing of it is stored.
func (g *group) noteStale(i int) {
	g.receipts[i] = Receipt{Err: ErrStale}
	g.breakSequence(g.writes[i].sequenceOf())
}

func (g *group) breakSequence(l *Sequence) {
	if l != nil && !l.broken {
		l.broken = true
		g.broke = append(g.broke, l)
	}
}

// refuseWrite takes write i out of the group.
func (g *group) refuseWrite(i int, err error) {
	g.refused[i] = true
	switch {
	case errors.Is(err, ErrStale):
		g.receipts[i] = Receipt{Err: ErrStale} // bare, so that it can be compared cheaply
	case errors.Is(err, ErrEnded), errors.Is(err, ErrUnfit):
		g.receipts[i] = Receipt{Err: err}
	default:
		g.receipts[i] = Receipt{Err: fmt.Errorf("%w: %w", ErrUnfit, err)}
	}
}

// failAll refuses all that is left of the group.
func (g *group) failAll(err error) {
	// From here on what breaks stays so: writes of these sequences may be queued for a later group, which must not store them.
	g.begin()
	for i := range g.writes {
		if !g.skipWrite(i) {
			g.receipts[i] = Receipt{Err: err}
			g.breakSequence(g.writes[i].sequenceOf())
		}
	}
}
