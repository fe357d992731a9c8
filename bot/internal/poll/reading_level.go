package poll

import (
	"context"
	"math"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
)

// resetCursor sets a cursor back before the read, where somebody wants that, or where it is not believed.
func (r *reading) resetCursor(ctx context.Context) error {
	ch := r.chat
	if ch.wish != 0 {
		if ch.wish <= ch.cursor {
			if err := r.setBack(ctx, ch.wish-1); err != nil {
				return err
			}
		}
		ch.wish, ch.reset.undelivered = 0, true // somebody waits for the cursor, wherever it stands
	}
	if !ch.unbelieved || r.c.cfg.Delivered == nil {
		return nil
	}
	_, err := r.recheckNewest(ctx)
	ch.unbelieved = ch.unbelieved && err != nil
	return err
}

// hasLeap reports whether ids of a read leap, or whether its cursor did.
func (r *reading) hasLeap(messages []platform.Message, was platform.MessageID) bool {
	lowest, highest := int64(messages[0].ID), int64(messages[len(messages)-1].ID)
	return r.chat.reset.undelivered || leap.IsLeap(max(1, int64(was)), highest) || leap.IsLeap(lowest, int64(r.chat.cursor))
}

// sightOf returns what a read has shown.
func (r *reading) sightOf(messages []platform.Message, was, believed platform.MessageID, last bool) sight {
	above, shown := int64(math.MaxInt64), idsOf(messages, messageID)
	b := r.chat.descent
	part := b != nil && (b.readsTwice() || b.split) // what is handed over is a part of what was read
	parts := !last || part || r.from > r.chat.cursor || b != nil && b.pages > 1
	switch {
	case last && part:
		above = int64(messages[0].ID - 1)
	case last:
		above = int64(min(r.from, messages[0].ID-1))
	}
	cr, c, peer := r.cr, r.c, r.chat.peer // the closure must not keep r
	return sight{
		source: event.Messages, peer: r.chat.peer, was: int64(was), believed: int64(believed),
		above: above, shown: shown, parts: parts,
		stands: int64(r.chat.cursor), reset: r.chat.reset.undelivered, passed: r.chat.reset.passedBefore(),
		page: func(ctx context.Context, below int64) ([]int64, error) {
			page, err := cr.pageBefore(ctx, c, peer, platform.MessageID(below))
			return idsOf(page, messageID), err
		},
	}
}

// pageBefore reads the page before a message of a chat, the newest one before 0.
func (cr *chatReader) pageBefore(ctx context.Context, c *cycle, peer platform.UserID, id platform.MessageID) ([]platform.Message, error) {
	return cr.getMessages(ctx, c, platform.MessagesParams{Peer: peer, Before: id, PageSize: c.cfg.pageSize(notificationPage)})
}

// recheckNewest reads the newest messages of a chat whose cursor may stand too high, and sets it back below those that
// nobody knows; it reports whether it did.
func (r *reading) recheckNewest(ctx context.Context) (back bool, err error) {
	var low, top, ground, lowest platform.MessageID
	for range r.c.cfg.MaxPages {
		page, err := r.cr.pageBefore(ctx, r.c, r.chat.peer, low)
		if err != nil {
			return false, err
		}
		if len(page) == 0 || low != 0 && page[0].ID >= low {
			break
		}
		if low == 0 {
			top = platform.MessageID(leap.HighestBelievable(idsOf(page, messageID)))
			ground = r.groundID(page, top)
		}
		low = page[0].ID
		missed, err := r.lowestUnknown(ctx, page, ground, top)
		if err != nil {
			return false, err
		}
		if missed == 0 {
			break
		}
		if lowest = missed; low <= ground {
			break
		}
	}
	switch {
	case lowest != 0:
		if level := r.cr.in.level.topID(); r.chat.news && leap.IsLeap(int64(top), int64(level)) { // what was just said is the newest of all
			r.cr.in.level.setTop(top)
		}
		err = r.setBack(ctx, lowest-1)
	case r.chat.unbelieved && leap.IsLeap(int64(top), int64(r.chat.cursor)): // nothing was missed yet
		err = r.setBack(ctx, max(top, r.cr.watermark))
	default:
		return false, nil
	}
	return err == nil, err
}

// groundID returns up to where the messages of a chat were there before the first start. Where that mark itself stands
// far above a message that has just been announced, it is wrong: then what the account has stored last tells, or
// how many messages are unread.
func (r *reading) groundID(page []platform.Message, top platform.MessageID) platform.MessageID {
	cr, ch := r.cr, r.chat
	if !leap.IsLeap(int64(top), int64(cr.watermark)) || !ch.news {
		return cr.watermark
	}
	// The mark of the start is absurd. What the account has stored is the next best: it was there, and was decided.
	last, _ := r.c.cfg.Delivered.StoredEvents(event.Messages)
	ground := platform.MessageID(last)
	if last == 0 || ground > top {
		ground = top
		unread := 1
		if row := cr.listedRow(ch); row != nil {
			unread = max(1, int(row.unread))
		}
		// Nothing is stored, or that is absurd, too. As many of the newest ones count as news as the list calls unread.
		for _, m := range slices.Backward(page) {
			if m.ID > top || ch.isOwn(m) {
				continue
			}
			if ground = m.ID - 1; unread == 1 {
				break
			}
			unread--
		}
	}
	cr.in.level.setTop(top)
	cr.lowerWatermark(ground)
	return ground
}

// lowestUnknown returns the lowest of the other person's messages on a page, above ground, up to the cursor and to top, that
// was never delivered; 0 for none.
func (r *reading) lowestUnknown(ctx context.Context, page []platform.Message, ground, top platform.MessageID) (lowest platform.MessageID, err error) {
	ch := r.chat
	var ids []event.ID
	for _, m := range page {
		if m.ID > ground && m.ID <= min(ch.cursor, top) && !ch.isOwn(m) && !ch.reset.isInVain(int64(m.ID)) {
			ids = append(ids, event.ID{Source: event.Messages, Number: int64(m.ID)})
		}
	}
	id, err := r.c.lowestUnknown(ctx, ids)
	return platform.MessageID(id), err
}

// setBack puts the cursor of a chat at an id. What stands above is read again, and all of it delivered. What was missed
// is younger than what was delivered before it, and perhaps no younger than that.
func (r *reading) setBack(ctx context.Context, to platform.MessageID) error {
	ch := r.chat
	if r.c.cfg.Delivered != nil {
		said, err := r.c.cfg.Delivered.RecentEvents(ctx, ch.peer)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(said, func(e event.Event) bool { return e.ID.Source == event.Messages && e.ID.Number <= int64(to) })
		if i >= 0 && said[i].SeenAt.Before(ch.clean) {
			ch.clean = said[i].SeenAt
		}
	}
	if !ch.reset.undelivered {
		r.c.noteReset(ctx, event.Messages, ch.peer, int64(ch.cursor), int64(to))
	}
	ch.reset.noteLowest(int64(to)+1, int64(ch.cursor))
	ch.cursor, ch.swept, ch.tail = to, to, tail{lowWater: int64(to)}
	// What was collected so far was collected down to the old cursor, and would leave out what lies between.
	ch.endDescent()
	ch.again, ch.backlog, ch.unbelieved = false, 0, false
	r.from = to
	return nil
}
