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
	c.wentBack(ctx, event.Messages, 0, int64(cr.watermark), int64(top))
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
