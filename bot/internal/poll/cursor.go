package poll

import (
	"context"
	"fmt"
	"slices"

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

// ReadAhead asks the store what Load asks it of an account: see store.Ahead. What is missing here Load asks for itself.
func ReadAhead(ctx context.Context, cursors Cursors, account event.Account, without event.Mode) {
	sources := []event.Source{event.Messages, event.Notifs, event.Mentions}
	if without != event.Never {
		sources = append(sources, event.Snapshots)
	}
	for _, source := range sources {
		_, _ = cursors.Cursors(ctx, account, source, []platform.UserID{0})
	}
	_, _ = cursors.CursorsAfter(ctx, account, event.Messages, 0, someChats)
}

// cursorsPer is how many cursors one query asks for.
const cursorsPer = 500

// readCursors reads the stored cursors of peers, many at a time.
func (c *cycle) readCursors(ctx context.Context, source event.Source, peers []platform.UserID) (map[platform.UserID]record.Cursor, error) {
	found := map[platform.UserID]record.Cursor{}
	for len(peers) > 0 {
		n := min(len(peers), cursorsPer)
		list, err := c.cfg.Cursors.Cursors(ctx, c.cfg.Account, source, peers[:n])
		if err != nil {
			return nil, fmt.Errorf("read the cursors of %v: %w", source, err)
		}
		for _, cursor := range list {
			found[cursor.Peer] = cursor
		}
		peers = peers[n:]
	}
	return found, nil
}

// cursorsOf reads the stored cursors of the peers of a list.
func (c *cycle) cursorsOf(ctx context.Context, seen *listing) (map[platform.UserID]record.Cursor, error) {
	peers := make([]platform.UserID, seen.len())
	for i := range peers {
		peers[i] = seen.glances[i].peer
	}
	return c.readCursors(ctx, event.Messages, peers)
}

// readCursor reads a cursor of the account.
func (c *cycle) readCursor(ctx context.Context, source event.Source) (cursor record.Cursor, found bool, err error) {
	stored, err := c.readCursors(ctx, source, []platform.UserID{0})
	cursor, found = stored[0]
	return cursor, found, err
}

// someChats tell whether messages were read: a cursor that is 0 says that its chat is still to be read.
const someChats = 100

// wasRead reports whether an earlier incarnation has read the messages of a chat: get_messages is there, even where it refuses something.
func (c *cycle) wasRead(ctx context.Context) (bool, error) {
	list, err := c.cfg.Cursors.CursorsAfter(ctx, c.cfg.Account, event.Messages, 0, someChats)
	if err != nil {
		return false, fmt.Errorf("read the cursors of %v: %w", event.Messages, err)
	}
	return slices.ContainsFunc(list, func(cursor record.Cursor) bool { return cursor.ID > 0 }), nil
}
