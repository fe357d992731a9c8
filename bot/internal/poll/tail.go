package poll

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// tailSize bounds how many ids a tail remembers.
const tailSize = 64

// tail remembers which of the newest ids of a list were read. An id below the newest can still be
// new: a platform that writes two rows at a time may show the higher one first.
type tail struct {
	lowWater int64    // everything up to here counts as read
	ids      []int64  // ascending, all above low-water mark
	odd      *[]int64 // ids that are not believed, see leap.Level: each counts by itself; nil while there are none
}

func (t *tail) hasID(id int64) bool {
	// Also if nobody has read it: chats share the ids of the platform, so most gaps are never filled, and none can be waited for.
	if id <= t.lowWater {
		return true
	}
	_, found := slices.BinarySearch(t.ids, id)
	return found || t.odd != nil && slices.Contains(*t.odd, id)
}

// noteID remembers an id that was read; an odd one by itself.
func (t *tail) noteID(id int64, odd bool) {
	switch {
	case !odd:
		t.add(id)
		return
	case t.hasID(id):
		return
	}
	if t.odd == nil {
		t.odd = &[]int64{}
	}
	if *t.odd = append(*t.odd, id); len(*t.odd) > tailSize {
		*t.odd = slices.Delete(*t.odd, 0, 1)
	}
}

func (t *tail) add(id int64) {
	at, found := slices.BinarySearch(t.ids, id)
	if found || id <= t.lowWater {
		return
	}
	t.ids = slices.Insert(t.ids, at, id)
	// The older half alone: a row that is shown late is still found behind as many later ones as the other half has.
	if len(t.ids) > tailSize {
		t.forgetUpTo(t.ids[tailSize/2])
	}
}

// forgetUpTo forgets the ids up to id: they count as read.
func (t *tail) forgetUpTo(id int64) {
	t.lowWater = max(t.lowWater, id)
	at, _ := slices.BinarySearch(t.ids, t.lowWater+1)
	t.ids = slices.Delete(t.ids, 0, at)
	if len(t.ids) == 0 {
		t.ids = nil
	}
}

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
	cr.resumeChat(ch, cursor, true)
	ch.again, ch.activeAt = true, c.began
	cr.planSweep(ch, c.began)
}
