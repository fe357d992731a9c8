package poll

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
	"unsafe"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	longReading = 2 * time.Minute // after that, people of ours hear of a reading that finds no end
	backlogKept = 1 << 20         // unread rows of a first start
)

// scan is a list being read from its first page back to the cursor.
type scan struct {
	descent[platform.Notification]

	end    platform.NotificationID // read until here
	cursor platform.NotificationID // where it stood when the scan began
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
	back    bool                      // the cursor was set back before
}

// rowBytes returns about how much memory a row takes until it is delivered.
func rowBytes(n *platform.Notification) int64 {
	// Twice: a slice that grows, or an event that is made of it.
	return int64(2*unsafe.Sizeof(*n)) + int64(len(n.Name)+len(n.Username)+len(n.Time)+len(n.Subject))
}

// add takes the next page.
func (l *list) add(page []platform.Notification, cut bool) {
	s := l.scan
	if len(page) == 0 {
		s.add(nil, 0, false, false)
		return
	}
	l.noteIDs(page)
	low, unread := page[0].ID, false
	var rows []platform.Notification
	for _, n := range page {
		low = min(low, n.ID)
		unread = unread || !n.Read
		if l.again && n.ID <= s.cursor {
			if s.under = append(s.under, n.ID); l.wasSwept(n) {
				s.swept = max(s.swept, n.ID)
			}
		}
		switch {
		// It was handed over, or will be with another part: a platform that knows no offset shows it all the same.
		case int64(n.ID) < s.lowWater, s.from != 0 && int64(n.ID) >= s.from: //mutate:part-rows
		case l.isFresh(n):
			rows = append(rows, n)
			if s.unread && !l.started {
				s.backlog = append(s.backlog, n.ID)
			}
		case !l.started && l.level.IsOdd(int64(n.ID)):
			s.before = append(s.before, n)
		}
	}
	if l.again && low <= s.cursor && !s.handing {
		// In the first read of an incarnation the end is a number of rows below the cursor, so it is known only with the rows.
		s.end = l.reachEnd()
	}
	s.add(rows, int64(low), cut, l.isLastPage(low, unread))
}

// isLastPage reports whether a page whose lowest row has an id is the last one of the part under way.
func (l *list) isLastPage(low platform.NotificationID, unread bool) bool {
	s := l.scan
	switch {
	case s.lowWater != 0:
		return int64(low) <= s.lowWater
	case l.started:
		return low <= s.end //mutate:list-whole
	case s.unread:
		return !unread || len(s.backlog) >= backlogKept
	default:
		return true
	}
}

// isFresh reports whether n is to be delivered.
func (l *list) isFresh(n platform.Notification) bool {
	s := l.scan
	switch {
	case l.again && n.ID <= s.cursor:
		return n.ID > max(l.origin, s.swept)
	case l.started && n.ID <= l.origin:
		// Above the cursor there is such a row only in a first start of which a part was handed over.
		return !l.tail.hasID(int64(n.ID)) && s.wasUnread(n)
	case l.started:
		return !l.tail.hasID(int64(n.ID)) && !slices.ContainsFunc(s.before, func(b platform.Notification) bool { return b.ID == n.ID })
	}
	return s.unread && !n.Read
}

// wasUnread reports whether a row was unread when the scan first came to it: to be read may have changed that.
func (s *scan) wasUnread(n platform.Notification) bool {
	if s.backlog == nil {
		return !n.Read
	}
	_, found := slices.BinarySearch(s.backlog, n.ID)
	return found
}

// beginHanding prepares what has to be known before any of the rows is delivered.
func (l *list) beginHanding() {
	s := l.scan
	if s.handing {
		return
	}
	if !l.started {
		// Kept as the mark of the cursor: what stands at or below it was there before the first start, and no overlap delivers it.
		l.origin = platform.NotificationID(l.level.TopID())
		s.first = true
	}
	if l.again {
		l.noteOverlap()
	}
	if s.lost && s.first {
		// From here on it is as after a crash in the middle: what was there is delivered up to the mark, as far as it was unread.
		slices.Sort(s.backlog)
		l.started, s.end = true, platform.NotificationID(s.low)
	}
	s.handing, s.back = true, l.back.under
}

// deliverRows delivers rows, the oldest first; last tells that the list shows no others.
func (l *list) deliverRows(ctx context.Context, c *cycle, rows []platform.Notification, last bool) error {
	s := l.scan
	b := Batch{Again: s.back, Cursor: record.Cursor{Source: l.source, Mark: uint64(l.origin), Back: l.back.under}}
	// It does not rise to a row whose id is not believed: all that comes until others reach that would count as read.
	b.Cursor.ID, b.Cursor.PolledAt = l.level.TopID(), s.began.Round(0)
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
			if l.again && n.ID <= s.cursor {
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
		for _, n := range s.before { // each by itself: no cursor says that it was there
			b.addBacklog(l.eventOf(c, n))
		}
	}
	kept := c.began.UnixMilli() - l.keptAt
	if len(rows) == 0 && l.started && !s.first && !l.back.under && kept >= 0 && kept < keepAfter.Milliseconds() {
		return nil
	}
	if err := c.deliverBatch(ctx, b); err != nil {
		return err
	}
	// Only now that the batch is accepted: after an error the same rows are handed over again.
	l.keptAt, l.back.under = c.began.UnixMilli(), false
	l.cursor = platform.NotificationID(b.Cursor.ID)
	if last && s.first {
		l.tail, l.swept = tail{lowWater: b.Cursor.ID}, l.cursor
	}
	l.noteDelivered(rows)
	if last {
		l.noteDelivered(s.before)
	}
	return nil
}

// tellLong says once that a scan has come to no end for minutes: nothing new is heard of the list meanwhile.
func (l *list) tellLong(ctx context.Context, c *cycle) {
	s := l.scan
	if s.told || time.Since(s.began) < longReading { //mutate:long-reading
		return
	}
	s.told = true
	l.hearing.noteReading(s.began)
	c.tellLong(ctx, s.began, slog.String("list", l.name()), slog.Int("pages", s.pages))
}

// tellLong says that a reading has come to no end for minutes.
func (c *cycle) tellLong(ctx context.Context, began time.Time, what ...slog.Attr) {
	attrs := append([]slog.Attr{slog.String("account", string(c.cfg.Account)), slog.Duration("after", time.Since(began).Round(time.Second))}, what...)
	c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a reading has come to no end: the platform shows ever older rows that nobody knows, and nothing new is heard there meanwhile", attrs...)
}
