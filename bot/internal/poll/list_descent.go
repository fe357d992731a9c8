package poll

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// backlogKept is how many unread rows of a first start are read.
const backlogKept = 1 << 20

// listDescent is a list being read from its first page back to the cursor.
type listDescent struct {
	descent[platform.Notification]

	end    platform.NotificationID // read until here
	cursor platform.NotificationID // where it stood when the descent began
	unread bool                    // the first start: read until a page without unread rows
	sweep  bool
	swept  platform.NotificationID   // of an overlap: what the last incarnation surely swept
	under  []platform.NotificationID // of an overlap: rows at or below the cursor
	shown  []int64                   // the rows of the first page, above the lowest of them
	above  int64
	before []platform.Notification // of the first start: those of the backlog that are not believed
	missed bool                    // there are rows below the cursor that nobody knows

	backlog []platform.NotificationID // of the first start: the rows that were unread, in ascending order once they are handed over
	first   bool                      // it is the first start
	reset   bool                      // the cursor was set back before
}

// rowBytes returns about how much memory a row takes until it is delivered.
func rowBytes(n *platform.Notification) int64 {
	// Twice: a slice that grows, or an event that is made of it.
	return int64(2*unsafe.Sizeof(*n)) + int64(len(n.Name)+len(n.Username)+len(n.Time)+len(n.Subject))
}

// addPage takes the next page.
func (l *list) addPage(page []platform.Notification, cut bool) {
	d := l.descent
	if len(page) == 0 {
		d.addRows(nil, 0, false, false)
		return
	}
	l.noteIDs(page)
	low, unread := page[0].ID, false
	var rows []platform.Notification
	for _, n := range page {
		low = min(low, n.ID)
		unread = unread || !n.Read
		if l.again && n.ID <= d.cursor {
			if d.under = append(d.under, n.ID); l.wasSwept(n) {
				d.swept = max(d.swept, n.ID)
			}
		}
		switch {
		// It was handed over, or will be with another part: a platform that knows no offset shows it all the same.
		case int64(n.ID) < d.lowWater, d.from != 0 && int64(n.ID) >= d.from: //mutate:part-rows
		case l.isFresh(n):
			rows = append(rows, n)
			if d.unread && !l.started {
				d.backlog = append(d.backlog, n.ID)
			}
		case !l.started && l.level.IsOdd(int64(n.ID)):
			d.before = append(d.before, n)
		}
	}
	if l.again && low <= d.cursor && !d.handing {
		// In the first read of an incarnation the end is a number of rows below the cursor, so it is known only with the rows.
		d.end = l.reachEnd()
	}
	d.addRows(rows, int64(low), cut, l.isLastPage(low, unread))
}

// reachEnd returns how far down the overlap of the first read of an incarnation goes.
func (l *list) reachEnd() platform.NotificationID {
	d := l.descent
	// The mark stands above the cursor where only a part of a first start was handed over.
	return reachOf(slices.Clone(d.under), d.cursor, min(max(l.origin, d.swept), d.cursor))
}

// wasSwept reports whether a row is so old that the last incarnation has swept it.
func (l *list) wasSwept(n platform.Notification) bool {
	age, _, ok := parseAge(n.Time)
	return ok && age > max(0, l.descent.began.Sub(l.polledAt))+proofSlack
}

// isLastPage reports whether a page whose lowest row has an id is the last one of the part under way.
func (l *list) isLastPage(low platform.NotificationID, unread bool) bool {
	d := l.descent
	switch {
	case d.lowWater != 0:
		return int64(low) <= d.lowWater
	case l.started:
		return low <= d.end //mutate:list-whole
	case d.unread:
		return !unread || len(d.backlog) >= backlogKept
	default:
		return true
	}
}

// isFresh reports whether n is to be delivered.
func (l *list) isFresh(n platform.Notification) bool {
	d := l.descent
	switch {
	case l.again && n.ID <= d.cursor:
		return n.ID > max(l.origin, d.swept)
	case l.started && n.ID <= l.origin:
		// Above the cursor there is such a row only in a first start of which a part was handed over.
		return !l.tail.hasID(int64(n.ID)) && d.wasUnread(n)
	case l.started:
		return !l.tail.hasID(int64(n.ID)) && !slices.ContainsFunc(d.before, func(b platform.Notification) bool { return b.ID == n.ID })
	}
	return d.unread && !n.Read
}

// wasUnread reports whether a row was unread when the descent first came to it: to be read may have changed that.
func (d *listDescent) wasUnread(n platform.Notification) bool {
	if d.backlog == nil {
		return !n.Read
	}
	_, found := slices.BinarySearch(d.backlog, n.ID)
	return found
}

// beginHanding prepares what has to be known before any of the rows is delivered.
func (l *list) beginHanding() {
	d := l.descent
	if d.handing {
		return
	}
	if !l.started {
		// Kept as the mark of the cursor: what stands at or below it was there before the first start, and no overlap delivers it.
		l.origin = platform.NotificationID(l.level.TopID())
		d.first = true
	}
	if l.again {
		lowWater := l.reachEnd()
		l.tail, l.swept, d.below = tail{lowWater: int64(lowWater)}, lowWater, int64(lowWater)
	}
	if d.lost && d.first {
		// From here on it is as after a crash in the middle: what was there is delivered up to the mark, as far as it was unread.
		slices.Sort(d.backlog)
		l.started, d.end = true, platform.NotificationID(d.low)
	}
	d.handing, d.reset = true, l.reset.undelivered
}

// deliverNotifications delivers rows, the oldest first; last tells that the list shows no others.
func (l *list) deliverNotifications(ctx context.Context, c *cycle, rows []platform.Notification, last bool) error {
	d := l.descent
	b := Batch{Again: d.reset, Cursor: record.Cursor{Source: l.source, Mark: uint64(l.origin), Back: l.reset.undelivered}}
	// It does not rise to a row whose id is not believed: all that comes until others reach that would count as read.
	b.Cursor.ID, b.Cursor.PolledAt = l.level.TopID(), d.began.Round(0)
	if !last {
		// What stands above is still to come: another incarnation goes on here, and knows no more than this one did before.
		b.Cursor.ID, b.Cursor.PolledAt = min(b.Cursor.ID, int64(rows[len(rows)-1].ID)), l.polledAt //mutate:part-cursor
	}
	b.Cursor.ID = max(b.Cursor.ID, int64(l.cursor))
	if len(rows) > 0 {
		me, err := c.cfg.Me(ctx)
		if err != nil {
			return fmt.Errorf("find out who the account is: %w", err)
		}
		for _, n := range rows {
			if n.From == me {
				continue
			}
			b.Events = append(b.Events, l.eventOf(c, n))
			if l.again && n.ID <= d.cursor {
				b.again++
			}
		}
	}
	if err := c.odds.resolve(ctx, c, &b, l.sightOf(c)); err != nil {
		if errors.Is(err, errMoved) {
			l.abandonReads()
		}
		return err
	}
	if last {
		for _, n := range d.before { // each by itself: no cursor says that it was there
			b.addBacklog(l.eventOf(c, n))
		}
	}
	kept := c.began.UnixMilli() - l.keptAt
	if len(rows) == 0 && l.started && !d.first && !l.reset.undelivered && kept >= 0 && kept < keepAfter.Milliseconds() {
		return nil
	}
	if err := c.deliverBatch(ctx, b); err != nil {
		return err
	}
	// Only now that the batch is accepted: after an error the same rows are handed over again.
	l.keptAt, l.reset.undelivered = c.began.UnixMilli(), false
	l.cursor = platform.NotificationID(b.Cursor.ID)
	if last && d.first {
		l.tail, l.swept = tail{lowWater: b.Cursor.ID}, l.cursor
	}
	l.noteDelivered(rows)
	if last {
		l.noteDelivered(d.before)
	}
	return nil
}

// noteDelivered notes rows that were delivered.
func (l *list) noteDelivered(rows []platform.Notification) {
	for i := range rows {
		l.tail.noteID(int64(rows[i].ID), l.level.IsOdd(int64(rows[i].ID)))
	}
}
