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
	// learn delivers what a list tells that is new, and ends the poll.
	learn(ctx context.Context, c *cycle, seen *listing) error
	// waiting returns whose chats have moved without that being delivered.
	waiting() []platform.UserID
	// surely returns until when everybody was heard, if no list was read after t.
	surely(t time.Time) time.Time
	// own returns the account's own cursor.
	own(polledAt time.Time) record.Cursor
	// kept notes that it was delivered.
	kept()
	// abandon gives back the room of what was read and not handed over.
	abandon()
	// row returns what the list said of a chat, if nothing else tells. It may be called at any time.
	row(peer platform.UserID, text string) (SnapshotRow, bool)
}

// inUse is the messageSource of an account. Others than the poll may ask it, too.
type inUse struct{ now atomic.Pointer[messageSource] }

func (u *inUse) get() messageSource { return *u.now.Load() }

func (u *inUse) set(s messageSource) { u.now.Store(&s) }
