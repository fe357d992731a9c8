package poll

import (
	"context"
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
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

// restoreLevel finds out, after a restart, up to which message ids are believed: by the cursors of the chats that
// the list shows, and by what was stored last. A watermark above that hides everybody who has no cursor yet.
func (cr *chatReader) restoreLevel(ctx context.Context, c *cycle, seen *listing, stored map[platform.UserID]record.Cursor) error {
	ids := append(make([]int64, 0, len(stored)+1), int64(cr.watermark))
	for _, cursor := range stored {
		ids = append(ids, cursor.ID)
	}
	top := cr.believable(c, ids)
	cr.in.level.setTop(top)
	if cr.watermark <= top {
		return nil
	}
	if top == 0 { // nothing is known: it is as at a first start
		var err error
		if top, _, err = cr.newestMessage(ctx, c, seen); err != nil {
			return err
		}
		cr.in.level.setTop(top)
	}
	// Delivered with Back, or the store would keep the higher number.
	c.noteReset(ctx, event.Messages, 0, int64(cr.watermark), int64(top))
	cr.watermark, cr.sunk = top, true
	return cr.in.deliverOwn(ctx, c, cr.in.polledAt)
}

// believable returns the highest of some stored ids that is believed. What was stored last is: cursors that stand far
// above it were set by a version that believed every id, however many they are.
func (cr *chatReader) believable(c *cycle, ids []int64) platform.MessageID {
	last := int64(0)
	if c.cfg.Delivered != nil {
		last, _ = c.cfg.Delivered.StoredEvents(event.Messages)
	}
	if last == 0 {
		return platform.MessageID(leap.HighestBelievable(ids))
	}
	slices.Sort(ids)
	for _, id := range ids {
		if !leap.IsLeap(last, id) {
			last = max(last, id)
		}
	}
	return platform.MessageID(last)
}

// lowerWatermark wants the watermark to be no higher than to. Chats are read at the same time.
func (cr *chatReader) lowerWatermark(to platform.MessageID) {
	for {
		now := cr.sinks.Load()
		if now != 0 && now <= int64(to) || cr.sinks.CompareAndSwap(now, max(1, int64(to))) {
			return
		}
	}
}

// sinkWatermark lowers the watermark, if a chat has shown that it stands too high.
func (cr *chatReader) sinkWatermark() {
	if to := platform.MessageID(cr.sinks.Swap(0)); to != 0 && to < cr.watermark {
		// The account's cursor is due at once: after a crash the next incarnation would begin with the one that hides messages.
		cr.watermark, cr.sunk, cr.in.keptAt = to, true, cr.in.keptAt.Add(-keepAfter)
	}
}

// pendWished queues the chats whose cursor somebody wants to be set back. The rows are in the order of seen.
func (cr *chatReader) pendWished(c *cycle, seen *listing) {
	wanted := c.wishes.takeWanted(event.Messages)
	if len(wanted) == 0 {
		return
	}
	find := finder{rows: cr.in.rows}
	for _, peer := range slices.Sorted(maps.Keys(wanted)) {
		ch := cr.activeChat(peer)
		if i := find.rowOf(peer); i >= 0 {
			ch = cr.chatOfRow(seen, int(i))
		} else {
			ch.index = -1
		}
		ch.wish = platform.MessageID(wanted[peer])
		cr.queueChat(ch)
	}
}
