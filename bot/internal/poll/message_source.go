package poll

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// messageSource is how an account learns what was said in the chats that a list shows: chatReader reads get_messages; snapshots
// takes the rows for all there is, where the platform has no such call.
type messageSource interface {
	// id returns whose events and cursors these are. It may be called at any time.
	id() event.Source
	// prepare says what is taken of the rows of the next list beside those that moved.
	prepare(l *looker)
	// deliverNews delivers what a list tells that is new, and ends the poll.
	deliverNews(ctx context.Context, c *cycle, seen *listing) error
	// waitingPeers returns whose chats have moved without that being delivered.
	waitingPeers() []platform.UserID
	// readUntil returns until when everybody was heard, if no list was read after t.
	readUntil(t time.Time) time.Time
	// ownCursor returns the account's own cursor.
	ownCursor(polledAt time.Time) record.Cursor
	// noteKept notes that it was delivered.
	noteKept()
	// abandonReads gives back the room of what was read and not handed over.
	abandonReads()
	// rowOf returns what the list said of a chat, if nothing else tells. It may be called at any time.
	rowOf(peer platform.UserID, text string) (SnapshotRow, bool)
}

// inUse is the messageSource of an account. Others than the poll may ask it, too.
type inUse struct{ now atomic.Pointer[messageSource] }

func (u *inUse) get() messageSource { return *u.now.Load() }

func (u *inUse) set(s messageSource) { u.now.Store(&s) }
