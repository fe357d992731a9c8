package record

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Cursor is the position of a source: everything at or below ID is stored, or was skipped as backlog.
type Cursor struct {
	Account event.Account
	Source  event.Source
	// Peer is the other person of the chat for event.Messages and event.Snapshots. 0 is the account's
	// own cursor: for notifications the only one, for messages the watermark from which chats
	// without a cursor start.
	Peer platform.UserID
	// ID is a message or notification id. For event.Snapshots it counts the chat's snapshots; for the
	// account's own cursor of them, messages of its own up to there were listed, or hidden by later ones.
	ID int64
	// Mark is the digest of the chat's row when the cursor moved: after a restart a row with the same
	// one needs no read. With ID 0 below a higher watermark, it is the number of messages that were
	// unread at the first start and have to be read. For notifications it is the id of the newest one
	// that was there before the first start. For event.Snapshots it stands for what the row showed;
	// in the account's own cursor, 1 says that the platform counts unread messages.
	Mark uint64
	// PolledAt is the last good poll of the source. For messages of a chat it is the one in which the
	// cursor moved.
	PolledAt time.Time
	// Back: the position was set back, and takes the place of a higher one that is stored.
	Back bool
}

// Began returns the newest id that was there before the first start, of an account's own cursor; 0 where none was, or
// where ids have no order.
func (c *Cursor) Began() int64 {
	switch c.Source {
	case event.Messages:
		return c.ID
	case event.Notifs, event.Mentions:
		return int64(c.Mark)
	default:
		return 0
	}
}
