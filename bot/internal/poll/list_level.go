package poll

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
)

// noteIDs takes note of the ids of a page. At the first start what is there is backlog, with any ids, but for one
// that no platform has got to yet.
func (l *list) noteIDs(page []platform.Notification) {
	d := l.descent
	ids := idsOf(page, notificationID)
	slices.Sort(ids)
	for _, id := range ids {
		if !l.started && !leap.IsLeap(0, id) {
			l.level.SetTop(max(id, l.level.TopID()))
			continue
		}
		l.level.NoteID(d.began, id)
	}
	if d.low == 0 {
		d.shown, d.above = ids, ids[0]
	}
}

// sightOf returns what the present read shows.
func (l *list) sightOf(c *cycle) sight {
	d := l.descent
	return sight{
		source: l.source, was: int64(l.cursor), believed: l.level.TopID(), above: d.above, shown: d.shown, parts: d.pages > 1 || len(d.rows) > handedAtOnce,
		stands: int64(l.cursor), reset: d.reset, passed: l.reset.passedBefore(),
		page: func(ctx context.Context, below int64) ([]int64, error) {
			page, err := l.getNotifications(ctx, c, platform.NotificationID(below), false)
			return idsOf(page, notificationID), err
		},
	}
}

// recheckPage looks at the rows of a page that count as read, and sets the cursor back below those that nobody knows: the
// cursor stands too high then. It does so in the first read of an incarnation, when the newest row of the first page that
// can be believed has changed and still counts as read, and further down as long as it finds any.
func (l *list) recheckPage(ctx context.Context, c *cycle, page []platform.Notification) error {
	d := l.descent
	if !l.started || d.handing || c.cfg.Delivered == nil { //mutate:list-recheck
		return nil
	}
	ground := l.origin
	switch {
	case d.low == 0:
		before := l.shown
		l.shown = platform.NotificationID(leap.HighestBelievable(idsOf(page, notificationID)))
		news := l.shown > before && int64(l.shown) <= l.tail.lowWater || leap.IsLeap(int64(l.shown), int64(before))
		news = news || l.shown < before // ids that come again stand below
		if !news && !l.again {
			return nil
		}
		ground = l.groundID(c, before)
	case !d.missed:
		return nil
	}
	lowest, err := l.lowestUnknown(ctx, c, page, ground)
	if err != nil {
		return err
	}
	d.missed = lowest != 0
	switch {
	case d.missed:
		l.setBack(ctx, c, lowest-1, min(l.origin, ground))
	case leap.IsLeap(int64(l.shown), int64(l.cursor)) && !l.reset.undelivered && d.low == 0:
		l.setBack(ctx, c, max(l.shown, ground), min(l.origin, ground)) // nothing was missed yet
	}
	return nil
}

// groundID returns up to where rows were there before the first start. Where that mark itself stands far above what is
// shown, it is wrong: then what was shown before tells, or what the account has stored last.
func (l *list) groundID(c *cycle, before platform.NotificationID) platform.NotificationID {
	if !leap.IsLeap(int64(l.shown), int64(l.origin)) {
		return l.origin
	}
	last, _ := c.cfg.Delivered.StoredEvents(l.source)
	return cmp.Or(before, platform.NotificationID(last), l.shown)
}

// lowestUnknown returns the lowest row of a page above ground that counts as read and was never delivered; 0 for none.
func (l *list) lowestUnknown(ctx context.Context, c *cycle, page []platform.Notification, ground platform.NotificationID) (lowest platform.NotificationID, err error) {
	me, err := c.cfg.Me(ctx)
	if err != nil {
		return 0, err
	}
	var ids []event.ID
	var rows []event.Event
	for _, n := range page {
		age, _, dated := parseAge(n.Time)
		// What retention has deleted is unknown to the store as well, and was handled long ago.
		old := dated && c.cfg.Keep > 0 && age > c.cfg.Keep
		if n.ID > ground && n.ID <= min(l.cursor, l.shown) && n.From != me && !old && !l.reset.isInVain(int64(n.ID)) {
			ids, rows = append(ids, event.ID{Source: l.source, Number: int64(n.ID)}), append(rows, l.eventOf(c, n))
		}
	}
	// The lowest one: the cursor is set back below it, and what the store knows of the rows above is dropped there.
	id, err := c.lowestUnknown(ctx, ids)
	if err == nil && len(rows) > 0 {
		err = c.cfg.Delivered.CheckAgain(ctx, l.source, rows)
	}
	if err != nil {
		return 0, err
	}
	return platform.NotificationID(id), nil
}

// setBack puts the cursor at an id. What stands above is read again, and all of it delivered.
func (l *list) setBack(ctx context.Context, c *cycle, to, origin platform.NotificationID) {
	if !l.reset.undelivered {
		c.noteReset(ctx, l.source, 0, int64(l.cursor), int64(to))
	}
	l.reset.noteLowest(int64(to)+1, int64(l.cursor))
	l.cursor, l.origin, l.again = to, origin, false
	l.level.SetTop(int64(to))
	l.tail, l.swept = tail{lowWater: int64(to)}, to
	if l.descent != nil {
		l.descent.end, l.descent.cursor = to, to
	}
}

// resetAsWished sets the cursor back if somebody wants that.
func (l *list) resetAsWished(ctx context.Context, c *cycle) {
	id, wanted := c.wishes.takeWanted(l.source)[0]
	if wanted && l.started && platform.NotificationID(id) <= l.cursor {
		l.abandonReads()
		l.setBack(ctx, c, platform.NotificationID(id-1), min(l.origin, platform.NotificationID(id-1)))
	}
	l.reset.undelivered = l.reset.undelivered || wanted // somebody waits for the cursor, wherever it stands
}

// saidAt returns when what a row tells of was at the earliest, as it says itself; zero where it does not.
func (l *list) saidAt(n platform.Notification) time.Time {
	age, unit, ok := parseAge(n.Time)
	if !ok {
		return time.Time{}
	}
	return l.descent.began.Add(-age - max(unit, time.Minute))
}

// absentSince returns when a row was not there yet, as far as is known: what was missed may be older than the last poll.
func (l *list) absentSince(n platform.Notification) time.Time {
	if age, unit, ok := parseAge(n.Time); ok && l.descent.reset {
		if at := l.descent.began.Add(-age - unit); at.Before(l.polledAt) {
			return at
		}
	}
	return l.polledAt
}
