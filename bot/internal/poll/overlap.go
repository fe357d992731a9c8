package poll

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Which ids below a cursor were read, an incarnation of the poller remembers until a sweep has passed them. The next incarnation
// reads that part once more and hands all of it over, since the Sink knows what is stored. What was there before
// the first start is left out, and so is what surely is old enough for the last incarnation to have swept it.

const (
	overlap    = 16 // rows at or below a stored cursor
	sweptAfter = 4  // times SweepAfter after a cursor moved, two sweeps have gone over what was read
)

// reachOf returns what lies below the overlap: everything up to there counts as read. Up to bottom it does anyway.
func reachOf[T ~int64](ids []T, cursor, bottom T) T {
	below := slices.DeleteFunc(ids, func(id T) bool { return id > cursor || id <= bottom })
	// Rows are counted, and not ids: all chats share those of the platform, so a distance in ids says nothing about one list.
	slices.Sort(below)
	below = slices.Compact(below)
	if len(below) < overlap {
		return bottom
	}
	return below[len(below)-overlap] - 1
}

// isUnswept reports whether the last incarnation may have ended before a chat was swept up to its cursor.
func (cr *chatReader) isUnswept(c *cycle, cursor record.Cursor) bool {
	//mutate:unswept
	return platform.MessageID(cursor.ID) > cr.watermark && cursor.PolledAt.After(cr.in.polledAt.Add(-sweptAfter*c.cfg.SweepAfter))
}

// sweepAgain goes on with the sweep of a chat that did not move since the last incarnation.
func (cr *chatReader) sweepAgain(c *cycle, seen *listing, i int, cursor record.Cursor) {
	ch := cr.chatOfRow(seen, i)
	ch.resume(cr.watermark, cursor, true)
	ch.again, ch.activeAt = true, c.began
	cr.planSweep(ch, c.began)
}

// reachEnd returns how far down the overlap of the first read of an incarnation goes.
func (l *list) reachEnd() platform.NotificationID {
	s := l.scan
	// The mark stands above the cursor where only a part of a first start was handed over.
	return reachOf(slices.Clone(s.under), s.cursor, min(max(l.origin, s.swept), s.cursor))
}

// wasSwept reports whether a row is so old that the last incarnation has swept it.
func (l *list) wasSwept(n platform.Notification) bool {
	age, _, ok := parseAge(n.Time)
	return ok && age > max(0, l.scan.began.Sub(l.polledAt))+proofSlack
}

// noteOverlap notes what lies below the overlap of the first read of an incarnation, and lets the rest be new.
func (l *list) noteOverlap() {
	lowWater := l.reachEnd()
	l.tail, l.swept = tail{lowWater: int64(lowWater)}, lowWater
	l.scan.below = lowWater
}
