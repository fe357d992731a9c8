package poll

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// inbox polls the chat list and reads the chats that moved.
type inbox struct {
	state   health
	hearing sourceHealth
	heard   *heard

	loaded    bool // the account's own cursor was read
	started   bool // there is one
	listed    bool // rows are those of a list
	wasCut    bool // which was cut
	cuts      cuts
	watermark platform.MessageID
	odd       []Batch // of a first start, to be delivered when it is stored where the account begins
	level     *level
	sinks     atomic.Int64 // a watermark below the present one that has to take its place; 0: none
	sunk      bool         // that it has is not delivered yet
	snapshots *snapshots   // not nil: get_messages is done without

	polledAt time.Time // the beginning of the last good poll
	keptAt   time.Time // when the account's own cursor was delivered
	agedAt   time.Time // when the ages of all rows were looked at

	rows      []row                     // in the order of the last list; behind it, those that a cut has hidden, and absent ones
	chats     map[platform.UserID]*chat // the active ones
	queue     []*chat                   // those that have to be read: the one that waits longest first
	nextSweep time.Time                 // zero: none
	server    server

	since    int64                        // in Unix milliseconds: a chat that no list of this incarnation has shown may have moved since then
	behind   *behind                      // chats behind the cut; nil while there is none
	lists    uint32                       // read so far
	staleAt  int64                        // in Unix milliseconds: when a list went back to what was there before
	nameless map[platform.UserID]struct{} // active chats of which no row was looked at
	refusals tally                        // chats that cannot be read
}

func (in *inbox) id() event.Source            { return event.Messages }
func (in *inbox) sourceHealth() *sourceHealth { return &in.hearing }
func (in *inbox) name() string                { return "messages" }
func (in *inbox) health() *health             { return &in.state }

func (in *inbox) poll(ctx context.Context, c *cycle) error {
	if err := in.load(ctx, c); err != nil {
		return err
	}
	c.snapshots.Store(in.snapshots)
	if err := in.begin(ctx, c); err != nil { //mutate:begin-once
		return err
	}
	seen, err := in.list(ctx, c)
	if err != nil {
		return err
	}
	if in.snapshots == nil {
		err = in.messages(ctx, c, seen)
		if errors.Is(err, errNoMessages) && c.cfg.NoMessages == event.Auto {
			c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "get_messages does not exist here: events come from the chat list, "+
				"which shows only the last message of a chat")
			in.snapshots = newSnapshots() //mutate:no-messages
			in.reconsider()
			seen, err = in.list(ctx, c) // with more of each row
			if err != nil {
				return err
			}
		}
	}
	if in.snapshots != nil {
		c.snapshots.Store(in.snapshots)
		if in.blank(seen) { //mutate:blank
			return nil
		}
		if err = in.snap(ctx, c, seen); err == nil {
			in.heard.list(seen.began, nil)
		}
	}
	if soft := (*chatsError)(nil); err != nil && !errors.As(err, &soft) {
		return err
	}
	in.polledAt = seen.began
	return errors.Join(err, in.keep(ctx, c))
}

// load reads the account's own cursor.
func (in *inbox) load(ctx context.Context, c *cycle) error {
	if in.loaded {
		return nil
	}
	defer func() {
		if !in.polledAt.IsZero() {
			in.since = in.polledAt.UnixMilli()
		}
	}()
	if c.cfg.NoMessages != event.Never {
		cursor, found, err := c.cursor(ctx, event.Snapshots)
		if err != nil {
			return err
		}
		if found || c.cfg.NoMessages == event.Always {
			in.loaded, in.started, in.polledAt = true, found, cursor.PolledAt
			in.snapshots = newSnapshots()
			in.snapshots.resume(cursor)
			in.level.drop(in.snapshots.kept)
			return nil
		}
	}
	cursor, found, err := c.cursor(ctx, event.Messages)
	if err != nil {
		return err
	}
	works, err := c.wasRead(ctx)
	if err != nil {
		return err
	}
	in.loaded, in.started, in.polledAt = true, found, cursor.PolledAt
	in.watermark = platform.MessageID(cursor.ID)
	in.level.drop(in.watermark)
	c.odds.load(c, event.Messages)
	in.server.works = in.watermark > 0 || works
	return nil
}

// messages finds the chats that moved, and reads them.
func (in *inbox) messages(ctx context.Context, c *cycle, seen *listing) error {
	switch {
	case !in.started:
		return in.start(ctx, c, seen)
	case !in.listed:
		if err := in.restore(ctx, c, seen); err != nil {
			return err
		}
	default:
		if err := in.follow(ctx, c, seen); err != nil {
			return err
		}
	}
	in.pendTouched(c, seen)
	in.pendWished(c, seen)
	if err := in.planBehind(ctx, c, seen); err != nil {
		return err
	}
	in.heardList(c, seen)
	return in.read(ctx, c)
}

// keep delivers the account's own cursor now and then, for its time.
func (in *inbox) keep(ctx context.Context, c *cycle) error {
	if !in.started || c.began.Sub(in.keptAt) < keepAfter {
		return nil
	}
	clean := in.polledAt
	for _, ch := range in.queue {
		if ch.clean.Before(clean) {
			clean = ch.clean
		}
	}
	clean = in.behind.surely(clean)
	if clean.IsZero() {
		return nil
	}
	return in.deliverOwn(ctx, c, clean)
}

// deliverOwn delivers the account's own cursor.
func (in *inbox) deliverOwn(ctx context.Context, c *cycle, polledAt time.Time) error {
	cursor := record.Cursor{Source: event.Messages, ID: int64(in.watermark), PolledAt: polledAt, Back: in.sunk}
	if in.snapshots != nil {
		cursor = in.snapshots.own(polledAt)
	}
	if err := c.deliver(ctx, Batch{Cursor: cursor}); err != nil {
		return err
	}
	if in.snapshots != nil {
		in.snapshots.kept, in.snapshots.lowered = in.snapshots.top, false
	}
	in.keptAt, in.sunk = c.began, false
	return nil
}

// chat returns an active chat, and makes it one if it is not.
func (in *inbox) chat(peer platform.UserID) *chat {
	ch := in.chats[peer]
	if ch == nil {
		ch = &chat{peer: peer, clean: in.polledAt, index: -1}
		if in.chats == nil {
			in.chats = map[platform.UserID]*chat{}
		}
		in.chats[peer] = ch
	}
	return ch
}

// meet returns the chat of row i, as an active one.
func (in *inbox) meet(seen *listing, i int) *chat {
	ch := in.chat(seen.glances[i].peer)
	shown := seen.brief(i)
	if shown != nil {
		in.rows[i].text = shown.text
	}
	in.know(ch, shown)
	ch.digest, ch.index = seen.glances[i].digest, i
	return ch
}

// pend puts a chat into the queue of those that have to be read.
func (in *inbox) pend(ch *chat) {
	if ch.pending {
		return
	}
	if in.polledAt.After(ch.clean) {
		ch.clean = in.polledAt
	}
	ch.pending, ch.since = true, in.lists
	in.queue = append(in.queue, ch)
	in.heard.hint(ch.peer)
}

// sweep makes a chat be swept at t, or earlier if it already was to be.
func (in *inbox) sweep(ch *chat, t time.Time) {
	ch.sweepBy(t)
	if in.nextSweep.IsZero() || ch.sweepAt.Before(in.nextSweep) {
		in.nextSweep = ch.sweepAt
	}
}
