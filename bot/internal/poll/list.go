package poll

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
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
	reset    cursorReset
	polledAt time.Time
	keptAt   int64        // when the cursor was delivered, in Unix milliseconds: idle accounts are small
	descent  *listDescent // a read that did not come to its end

	// Now and then the list is read to below the cursor: a row may be shown late.
	swept   platform.NotificationID // the cursor at the last sweep
	sweptAt time.Time
}

func (l *list) id() event.Source            { return l.source }
func (l *list) sourceHealth() *sourceHealth { return &l.hearing }
func (l *list) name() string                { return string(l.kind) }
func (l *list) health() *health             { return &l.state }

func (l *list) poll(ctx context.Context, c *cycle) error {
	if err := l.load(ctx, c); err != nil {
		return err
	}
	l.resetAsWished(ctx, c)
	pages := c.cfg.MaxPages
	for {
		again := l.descent != nil
		if !again {
			l.descent = l.newDescent(c)
		}
		whole, err := l.descent.read(ctx, &pages,
			func(ctx context.Context) error { return l.readNextPage(ctx, c) }, l.beginHanding,
			func(ctx context.Context, rows []platform.Notification, last bool) error {
				return l.deliverNotifications(ctx, c, rows, last)
			})
		if err != nil {
			return err
		}
		if !whole {
			c.more.Store(true)
			return nil
		}
		if l.descent.sweep {
			// Up to the cursor of the sweep before: what stands above it has been looked at once only, and a row there may still be shown late.
			l.tail.forgetUpTo(int64(l.swept))
			l.swept, l.sweptAt = l.cursor, l.descent.began
		}
		c.heard.noteNotifications(l, l.descent.began)
		l.started, l.again = true, false
		l.abandonReads()
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
	cursor, found, err := c.readCursor(ctx, l.source)
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

// newDescent begins one.
func (l *list) newDescent(c *cycle) *listDescent {
	d := &listDescent{end: l.cursor, cursor: l.cursor, unread: !l.started && c.cfg.Backlog == event.Unread}
	d.began, d.room, d.size, d.id = time.Now(), c.cfg.Room.NewShare(), rowBytes, notificationID
	if d.began.Sub(l.sweptAt) >= c.cfg.SweepAfter {
		d.sweep, d.end = true, platform.NotificationID(l.tail.lowWater)
	}
	return d
}

// abandonReads ends the descent.
func (l *list) abandonReads() {
	if l.descent != nil {
		l.descent.dropRows()
		l.descent = nil
		l.hearing.noteReading(time.Time{})
	}
}

// readNextPage reads the next page.
func (l *list) readNextPage(ctx context.Context, c *cycle) error {
	d := l.descent
	below, whole := d.next()
	page, err := l.getNotifications(ctx, c, platform.NotificationID(below), whole)
	if err != nil {
		// Not even the first page: the next try begins anew, with newer rows on top.
		if d.pages == 0 {
			l.abandonReads()
		}
		return err
	}
	d.pages++
	if d.low == 0 {
		l.watch(page)
	}
	if err := l.recheckPage(ctx, c, page); err != nil {
		return err
	}
	l.addPage(page, len(page) >= platform.RowsKept(c.cfg.pageSize(notificationPage)))
	d.tellLong(ctx, c, slog.String("list", l.name())) //mutate:long-reading
	if d.stuck >= stuckPages && d.low > int64(l.cursor) && !d.readsTwice() {
		c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a notification list shows no older rows, so some may have been missed",
			slog.String("list", l.name()), slog.Int64("from", d.low), slog.Int64("to", int64(l.cursor)))
	}
	return nil
}

// getNotifications reads the page below a row, the first one for 0: all of it, or those rows of it that stand next to where it begins.
func (l *list) getNotifications(ctx context.Context, c *cycle, below platform.NotificationID, whole bool) ([]platform.Notification, error) {
	page, err := call(ctx, c, func(ctx context.Context) ([]platform.Notification, error) {
		return c.cfg.Client.Notifications(ctx, platform.NotificationsParams{
			Type: l.kind, PageSize: c.cfg.pageSize(notificationPage), Offset: below, Whole: whole,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", l.kind, err)
	}
	return page, nil
}

// watch shows the newest row to the source health.
func (l *list) watch(page []platform.Notification) {
	var newest platform.Notification
	for _, n := range page {
		if n.ID > newest.ID {
			newest = n
		}
	}
	l.hearing.noteNewestRow(uint64(newest.ID), newest.Time)
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

func (l *list) eventOf(c *cycle, n platform.Notification) event.Event {
	return event.Event{
		Account: c.cfg.Account,
		ID:      event.ID{Source: l.source, Number: int64(n.ID)},
		Kind:    kindOf(n.Subject),
		Peer:    n.From, Name: n.Name, User: n.Username,
		Post: n.Post, Subject: n.Subject,
		SeenAt: time.Now(), NotBefore: l.absentSince(n), SaidAt: l.saidAt(n),
	}
}
