package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// SnapshotRow is what the chat list says of a conversation: all that tells of messages where there is no
// get_messages.
type SnapshotRow struct {
	// At is when the list began to be read; zero while none was.
	At time.Time
	// Mark stands for the last text, in 31 bits, for how many messages of the other person's the lists have
	// shown, and for how many of them are unread, in 16 bits each. It is 0 while nothing is known.
	Mark int64
	// Shows: the last text is the one that was asked for, as far as can be seen of it.
	Shows bool
	// Ours: the account sent the last text.
	Ours bool
	// Open: no message of that text was known to have arrived when the row came to show it.
	Open bool
}

// snapshotRow returns the row of a message's conversation; false for other actions, and where messages can be read.
func (a *Account) snapshotRow(action *event.Action) (SnapshotRow, bool) {
	if action.Verb != event.VerbMessage {
		return SnapshotRow{}, false
	}
	return a.cfg.Chats.SnapshotRow(action.Peer, action.Text)
}

// Where rows are all there is, a message is reconciled from the row that was listed last before it left. It is
// stored as a number below 0, which no id is.

// baselineOfRow makes sure that the row is stored before a message leaves.
func (a *Account) baselineOfRow(ctx context.Context, d *delivery, row SnapshotRow) error {
	from := -row.Mark
	switch {
	case from == 0 && d.ReconcileFrom == 0: // no list was read in this incarnation
		from = unknown
	case from == 0, from == d.ReconcileFrom:
		return nil
	}
	m := MarkOf(&d.Action)
	m.ReconcileFrom = from
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx, m); err != nil {
		return notAsked{fmt.Errorf("store what the chat list shows before %s leaves: %w", d.Key, err)}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	d.ReconcileFrom, d.from, d.baselineUnknown = from, from, false
	return nil
}

// sign is what a row tells of a message that may have arrived.
type sign uint8

const (
	hidden sign = iota // what the row shows may hide it, or be it
	shown              // it is what the row came to show
	below              // the row shows what it would stand above
)

// tells tells what became of a message that is reconciled from a row, or from an id.
func (r *SnapshotRow) tells(from int64) sign {
	before := -from
	switch {
	//mutate:whoever-wrote
	case before <= 0, uint16(r.Mark) > uint16(before), int16(r.Mark>>16-before>>16) > 0: // somebody wrote
		return hidden
	case r.Mark>>32 == before>>32: // its twin would look the same
		if r.Shows { //mutate:row-twin
			return hidden
		}
		return below
	case !r.Ours:
		return hidden
	case !r.Shows: // what was sent before it
		return below
	case r.Open: //mutate:row-open
		return shown
	default: // or a twin that was sent before it
		return hidden
	}
}

var errUnlisted = errors.New("the chat list was not read since it left")

// reconcileByRow finds out what became of a message from the chat list, as reconcile does from what it reads.
// A row is read by others, at their pace. What it hides it hides for ever: that is held at once.
func (a *Account) reconcileByRow(ctx context.Context, d *delivery) {
	// A row of before that says nothing: the request may be on its way, and the platform may show it with the next list.
	late := a.reconciledFrom(d)
	for misses := 0; a.workers.Sleep(ctx, a.dispatcher.cfg.FirstLook); {
		row, _ := a.snapshotRow(&d.Action)
		found := row.tells(d.ReconcileFrom)
		switch {
		case found == shown:
			d.changeState(event.StateDone, "")
			a.sawUnnamed(d, true)
			return
		case row.At.Before(late): //mutate:early-look
			if a.noteWaiting(d, errUnlisted) >= a.dispatcher.cfg.HoldAfter && !time.Now().Before(late) {
				a.holdItems(reason.Unknown, "nobody knows whether it happened: "+errUnlisted.Error(), d)
				return
			}
			continue
		case found == hidden:
			a.holdItems(reason.Unknown, "nobody knows whether it happened: the chat list shows only the last message, which is another one, or may be", d)
			return
		}
		// Two lists, some seconds apart: one alone may be an old one.
		if misses++; misses == 2 {
			a.freeUnproven([]*delivery{d}, nil)
			return
		}
		late = row.At.Add(a.dispatcher.cfg.SecondLook)
	}
}
