package poll

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// stuckPages is the number of pages in a row without an older row after which a list counts as read:
// the platform shows no more of it.
const stuckPages = 3

// list polls one of the two notification lists.
type list struct {
	source  event.Source
	kind    platform.NotificationType
	state   health
	hearing sourceHealth

	loaded   bool
	started  bool
	again    bool // the first read of an incarnation: it overlaps those of the last one
	heard    bool // it was read in this incarnation; see Poller.HeardList
	tail     tail
	cursor   platform.NotificationID // everything up to here was delivered
	origin   platform.NotificationID // everything up to here was there before the first start
	level    leap.Level              // the cursor does not rise above it
	shown    platform.NotificationID // the highest row of the first page that is believed, as last read
	back     setBack
	polledAt time.Time
	keptAt   int64 // when the cursor was delivered, in Unix milliseconds: idle accounts are small
	scan     *scan // a read that did not come to its end

	// Now and then the list is read to below the cursor: a row may be shown late.
	swept   platform.NotificationID // the cursor at the last sweep
	sweptAt time.Time
}

// scan is a list being read from its first page back to the cursor.
type scan struct {
	rows   []platform.Notification
	began  time.Time
	end    platform.NotificationID // read until here
	low    platform.NotificationID // the lowest id so far; 0 before the first page
	unread bool                    // the first start: read until a page without unread rows
	sweep  bool
	stuck  int
	pages  int
	swept  platform.NotificationID // of an overlap: what the last incarnation surely swept
	shown  []int64                 // the rows of the first page, above the lowest of them
	above  int64
	before []platform.Notification // of the first start: those of the backlog that are not believed
	missed bool                    // there are rows below the cursor that nobody knows
	whole  bool
}

func (l *list) id() event.Source            { return l.source }
func (l *list) sourceHealth() *sourceHealth { return &l.hearing }
func (l *list) name() string                { return string(l.kind) }
func (l *list) health() *health             { return &l.state }

func (l *list) poll(ctx context.Context, c *cycle) error {
	if err := l.load(ctx, c); err != nil {
		return err
	}
	l.goBack(ctx, c)
	pages := c.cfg.MaxPages
	for {
		again := l.scan != nil
		if !again {
			l.scan = l.begin(c)
		}
		if err := l.collect(ctx, c, &pages); err != nil {
			return err
		}
		if !l.scan.whole {
			c.more.Store(true)
			return nil
		}
		if err := l.hand(ctx, c); err != nil {
			return err
		}
		if l.scan.sweep {
			// Up to the cursor of the sweep before: what stands above it has been looked at once only, and a row there may still be shown late.
			l.tail.confirm(int64(l.swept))
			l.swept, l.sweptAt = l.cursor, l.scan.began
		}
		c.heard.notified(l, l.scan.began)
		l.started, l.again, l.scan = true, false, nil
		if !again || pages == 0 {
			return nil
		}
		// What came while the burst was read stands above it.
	}
}

// load reads the list's cursor.
func (l *list) load(ctx context.Context, c *cycle) error {
	if l.loaded {
		return nil
	}
	cursor, found, err := c.cursor(ctx, l.source)
	if err != nil {
		return err
	}
	l.loaded, l.started, l.again = true, found, found //mutate:list-again
	l.cursor, l.polledAt = platform.NotificationID(cursor.ID), cursor.PolledAt
	l.origin = platform.NotificationID(cursor.Mark)
	l.tail, l.swept = tail{lowWater: cursor.ID}, l.cursor
	l.level = leap.NewLevel(cursor.ID)
	c.odds.load(c, l.source)
	return nil
}

// begin begins a read.
func (l *list) begin(c *cycle) *scan {
	s := &scan{began: time.Now(), end: l.cursor, unread: !l.started && c.cfg.Backlog == event.Unread}
	if s.began.Sub(l.sweptAt) >= c.cfg.SweepAfter {
		s.sweep, s.end = true, platform.NotificationID(l.tail.lowWater)
	}
	return s
}

// collect reads pages until one reaches the end, as far as the budget goes. What it has read is
// kept when it fails or stops.
func (l *list) collect(ctx context.Context, c *cycle, pages *int) error {
	s := l.scan
	for ; !s.whole && *pages > 0; *pages-- {
		page, err := l.page(ctx, c, s.low)
		if err != nil {
			// Not even the first page: the next try begins anew, with newer rows on top.
			if s.low == 0 {
				l.scan = nil
			}
			return err
		}
		s.pages++
		if s.low == 0 {
			l.watch(page)
		}
		if err := l.recheck(ctx, c, page); err != nil {
			return err
		}
		l.add(page)
	}
	if s.stuck >= stuckPages && s.low > l.cursor {
		c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a notification list shows no older rows, so some may have been missed",
			slog.String("list", l.name()), slog.Int64("from", int64(s.low)), slog.Int64("to", int64(l.cursor)))
	}
	return nil
}

// watch shows the newest row to the source health.
func (l *list) watch(page []platform.Notification) {
	var newest platform.Notification
	for _, n := range page {
		if n.ID > newest.ID {
			newest = n
		}
	}
	l.hearing.shown(uint64(newest.ID), newest.Time)
}

// add takes the next page.
func (l *list) add(page []platform.Notification) {
	s := l.scan
	if len(page) == 0 {
		s.whole = true
		return
	}
	l.see(page)
	low, unread := page[0].ID, false
	for _, n := range page {
		low = min(low, n.ID)
		unread = unread || !n.Read
		if l.again && n.ID <= l.cursor && l.wasSwept(n) {
			s.swept = max(s.swept, n.ID)
		}
		switch {
		case l.fresh(n):
			s.rows = append(s.rows, n)
		case !l.started && l.level.Odd(int64(n.ID)):
			s.before = append(s.before, n)
		}
	}
	if l.again && low <= l.cursor {
		// In the first read of an incarnation the end is a number of rows below the cursor, so it is known only with the rows.
		s.end = l.reach()
	}
	switch {
	case !l.started && !s.unread, l.started && low <= s.end, s.unread && !unread: //mutate:list-whole
		s.whole = true
	case s.low != 0 && low >= s.low:
		s.stuck++
		s.whole = s.stuck >= stuckPages
	default:
		s.low, s.stuck = low, 0
	}
}

// fresh reports whether n is to be delivered.
func (l *list) fresh(n platform.Notification) bool {
	switch {
	case l.again && n.ID <= l.cursor:
		return n.ID > max(l.origin, l.scan.swept)
	case l.started:
		return !l.tail.knows(int64(n.ID))
	}
	return l.scan.unread && !n.Read
}

// hand delivers what was read, and moves the cursor when it was accepted.
func (l *list) hand(ctx context.Context, c *cycle) error {
	s := l.scan
	if !l.started {
		// Kept as the mark of the cursor: what stands at or below it was there before the first start, and no overlap delivers it.
		l.origin = platform.NotificationID(l.level.Top())
	}
	if l.again {
		l.overlapped()
	}
	b := Batch{Again: l.back.under, Cursor: record.Cursor{
		// It does not rise to a row whose id is not believed: all that comes until others reach that would count as read.
		Source: l.source, ID: max(int64(l.cursor), l.level.Top()), Mark: uint64(l.origin), PolledAt: s.began.Round(0), Back: l.back.under,
	}}
	if len(s.rows) > 0 {
		me, err := c.cfg.Me(ctx)
		if err != nil {
			return fmt.Errorf("find out who the account is: %w", err)
		}
		slices.SortStableFunc(s.rows, func(x, y platform.Notification) int { return cmp.Compare(x.ID, y.ID) })
		s.rows = slices.CompactFunc(s.rows, func(x, y platform.Notification) bool { return x.ID == y.ID })
		for _, n := range s.rows {
			if n.From == me {
				continue
			}
			b.Events = append(b.Events, l.event(c, n))
			if l.again && n.ID <= l.cursor {
				b.again++
			}
		}
	}
	if err := c.odds.resolve(ctx, c, &b, l.sight(c)); err != nil {
		if errors.Is(err, errMoved) {
			l.scan = nil
		}
		return err
	}
	for _, n := range s.before { // each by itself: no cursor says that it was there
		b.addBacklog(l.event(c, n))
	}
	kept := c.began.UnixMilli() - l.keptAt
	if len(s.rows) == 0 && l.started && !l.back.under && kept >= 0 && kept < keepAfter.Milliseconds() {
		return nil
	}
	if err := c.deliver(ctx, b); err != nil {
		return err
	}
	// Only now that the batch is accepted: after an error the same rows are handed over again.
	l.keptAt, l.back.under = c.began.UnixMilli(), false
	l.cursor = platform.NotificationID(b.Cursor.ID)
	if !l.started {
		l.tail, l.swept = tail{lowWater: b.Cursor.ID}, l.cursor
	}
	l.remember(s.rows)
	l.remember(s.before)
	return nil
}

// kindOf returns the kind of event that a subject stands for.
func kindOf(s platform.Subject) event.Kind {
	switch s {
	case platform.SubjectFollow:
		return event.KindFollow
	case platform.SubjectFollowRequest:
		return event.KindFollowRequest
	case platform.SubjectFollowAccept:
		return event.KindFollowAccept
	case platform.SubjectLike:
		return event.KindLike
	case platform.SubjectReply:
		return event.KindReply
	case platform.SubjectRepost:
		return event.KindRepost
	case platform.SubjectMention:
		return event.KindMention
	case platform.SubjectVisit:
		return event.KindVisit
	default:
		return event.KindOther
	}
}

func (l *list) event(c *cycle, n platform.Notification) event.Event {
	return event.Event{
		Account: c.cfg.Account,
		ID:      event.ID{Source: l.source, Number: int64(n.ID)},
		Kind:    kindOf(n.Subject),
		Peer:    n.From, Name: n.Name, User: n.Username,
		Post: n.Post, Subject: n.Subject,
		SeenAt: time.Now(), NotBefore: l.since(n),
	}
}
