package poll

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Delivered is what the poller asks about events that were delivered before.
type Delivered interface {
	// KnownEvents returns which events were delivered before, by this incarnation or an earlier one. What is so old that the store
	// has deleted it counts among them.
	KnownEvents(ctx context.Context, ids []event.ID) (map[event.ID]bool, error)
	// StoredEvents returns what earlier incarnations stored of a source: the highest number that is believed, 0 for none, and the
	// events above it.
	StoredEvents(source event.Source) (last int64, above []event.Event)
	// CheckAgain is told of rows that count as delivered: some may be about something else than what was delivered under their ids.
	CheckAgain(ctx context.Context, source event.Source, rows []event.Event) error
	// RecentEvents returns what was delivered of a person lately, newest first.
	RecentEvents(ctx context.Context, peer platform.UserID) ([]event.Event, error)
}

// Cursors is what the poller needs of the store.
type Cursors interface {
	// Cursors returns the stored cursors of a source for peers, in any order; missing ones are absent.
	Cursors(ctx context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]record.Cursor, error)
	// CursorsAfter returns the stored cursors of a source for peers above after, by peer, at most limit of them.
	CursorsAfter(ctx context.Context, account event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error)
}
