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

// keepAfter is how often a cursor that did not move is delivered, for its time.
const keepAfter = time.Minute

// inbox polls the chat list, and learns from it what was said.
type inbox struct {
	state    health
	hearing  sourceHealth
	heard    *heard
	level    *level
	messages *inUse

	loaded  bool // the account's own cursor was read
	started bool // there is one
	listed  bool // rows are those of a list
	wasCut  bool // which was cut
	cuts    cuts
	odd     *[]Batch // of a first start, to be delivered when it is stored where the account begins; nil: idle accounts are small

	polledAt time.Time // the beginning of the last good poll
	keptAt   time.Time // when the account's own cursor was delivered
	agedAt   time.Time // when the ages of all rows were looked at

	rows  []listRow // in the order of the last list; behind it, those that a cut has hidden, and absent ones
	since int64     // in Unix milliseconds: a chat that no list of this incarnation has shown may have moved since then
	lists uint32    // read so far
}

func (in *inbox) id() event.Source            { return event.Messages }
func (in *inbox) sourceHealth() *sourceHealth { return &in.hearing }
func (in *inbox) name() string                { return "messages" }
func (in *inbox) health() *health             { return &in.state }

func (in *inbox) poll(ctx context.Context, c *cycle) error {
	if err := in.load(ctx, c); err != nil {
		return err
	}
	if err := in.deliverStart(ctx, c); err != nil { //mutate:begin-once
		return err
	}
	err := in.learn(ctx, c)
	if errors.Is(err, errNoMessages) && c.cfg.NoMessages == event.Auto {
		c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "get_messages does not exist here: events come from the chat list, "+
			"which shows only the last message of a chat")
		in.exchange(newSnapshots(in)) //mutate:no-messages
		// The list is read once more: of its rows glances were kept, and snapshots need their texts.
		err = in.learn(ctx, c) // with more of each row
	}
	return err
}

// learn reads the chat list, and learns from it.
func (in *inbox) learn(ctx context.Context, c *cycle) error {
	seen, err := in.readChatList(ctx, c)
	if err != nil {
		return err
	}
	return in.messages.get().deliverNews(ctx, c, seen)
}

// endPoll ends a poll with a list of which everything was learned, or noted as still to be read. Now and then it delivers the
// account's own cursor, for its time.
func (in *inbox) endPoll(ctx context.Context, c *cycle, seen *listing) error {
	in.polledAt = seen.began
	if !in.started || c.began.Sub(in.keptAt) < keepAfter {
		return nil
	}
	// Not the time of the last poll: a chat that still waits to be read has said something before that, and the next incarnation reads from here.
	clean := in.messages.get().readUntil(in.polledAt)
	if clean.IsZero() {
		return nil
	}
	return in.deliverOwn(ctx, c, clean)
}

// exchange lets another source tell of messages from now on. What has moved without that being delivered comes
// from that one: those rows are new ones.
func (in *inbox) exchange(next messageSource) {
	waiting := map[platform.UserID]bool{}
	for _, peer := range in.messages.get().waitingPeers() {
		waiting[peer] = true
	}
	for i := range in.rows {
		if r := &in.rows[i]; waiting[r.peer] { //mutate:exchange-waiting
			*r = listRow{peer: r.peer, state: rowNew}
		}
	}
	in.abandonReads()
	in.messages.set(next)
}

func (in *inbox) abandonReads() { in.messages.get().abandonReads() }

// load reads the account's own cursor.
func (in *inbox) load(ctx context.Context, c *cycle) error {
	if in.loaded {
		return nil
	}
	cursor, found, err := in.choose(ctx, c)
	if err != nil {
		return err
	}
	in.loaded, in.started, in.polledAt = true, found, cursor.PolledAt
	if !in.polledAt.IsZero() {
		in.since = in.polledAt.UnixMilli()
	}
	return nil
}

// choose puts the source to use from which earlier incarnations have learned, and returns its own cursor.
func (in *inbox) choose(ctx context.Context, c *cycle) (own record.Cursor, found bool, err error) {
	if c.cfg.NoMessages != event.Never {
		own, found, err = c.readCursor(ctx, event.Snapshots)
		if err != nil {
			return own, false, err
		}
		// Once snapshots have numbered events, they go on: messages by their ids would be the same events under other names, and answered again.
		if found || c.cfg.NoMessages == event.Always {
			s := newSnapshots(in)
			s.resumeOwn(own)
			in.exchange(s)
			return own, found, nil
		}
	}
	own, found, err = c.readCursor(ctx, event.Messages)
	if err != nil {
		return own, false, err
	}
	works, err := c.wasRead(ctx)
	if err != nil {
		return own, false, err
	}
	cr := &chatReader{in: in}
	cr.resumeOwn(own, works)
	in.exchange(cr)
	c.odds.load(c, event.Messages)
	return own, found, nil
}

// deliverOwn delivers the account's own cursor.
func (in *inbox) deliverOwn(ctx context.Context, c *cycle, polledAt time.Time) error {
	s := in.messages.get()
	if err := c.deliverBatch(ctx, Batch{Cursor: s.ownCursor(polledAt)}); err != nil {
		return err
	}
	s.noteKept()
	in.keptAt = c.began
	return nil
}

// deliverStart delivers where an account begins that was never polled, once that is found. It is found only once: when it
// cannot be stored, what comes until it can is news.
func (in *inbox) deliverStart(ctx context.Context, c *cycle) error {
	if in.started || !in.listed {
		return nil
	}
	found := timeOfMilli(in.since)
	if err := in.deliverOwn(ctx, c, found); err != nil {
		return err
	}
	if in.odd != nil {
		for _, b := range *in.odd {
			if err := c.deliverBatch(ctx, b); err != nil {
				return err
			}
		}
	}
	in.started, in.polledAt, in.odd = true, found, nil
	return nil
}

// adoptList remembers a list as it is, without a look at its chats.
func (in *inbox) adoptList(seen *listing) {
	in.rows = make([]listRow, seen.len())
	for i := range in.rows {
		g := &seen.glances[i]
		r := &in.rows[i]
		*r = listRow{peer: g.peer, digest: g.digest, unread: g.unread}
		r.takeAge(g, seen.began, seen.ended)
	}
	in.listed, in.agedAt, in.wasCut = true, seen.began, seen.cut != nil
	if in.since == 0 {
		in.since = seen.began.UnixMilli()
	}
}

// unseenSince returns the time since which a row that was not seen in this incarnation may have moved.
func (in *inbox) unseenSince(seen *listing) time.Duration {
	return min(max(0, seen.began.Sub(timeOfMilli(in.since))), maxAge)
}

// messageSource is how an account learns what was said in the chats that a list shows: chatReader reads get_messages; snapshots
// takes the rows for all there is, where the platform has no such call.
type messageSource interface {
	// id returns whose events and cursors these are. It may be called at any time.
	id() event.Source
	// prepare says what is taken of the rows of the next list beside those that moved.
	prepare(l *looker)
	// deliverNews delivers what a list tells that is new, and ends the poll.
	deliverNews(ctx context.Context, c *cycle, seen *listing) error
	// waitingPeers returns whose chats have moved without that being delivered.
	waitingPeers() []platform.UserID
	// readUntil returns until when everybody was heard, if no list was read after t.
	readUntil(t time.Time) time.Time
	// ownCursor returns the account's own cursor.
	ownCursor(polledAt time.Time) record.Cursor
	// noteKept notes that it was delivered.
	noteKept()
	// abandonReads gives back the room of what was read and not handed over.
	abandonReads()
	// rowOf returns what the list said of a chat, if nothing else tells. It may be called at any time.
	rowOf(peer platform.UserID, text string) (SnapshotRow, bool)
}

// inUse is the messageSource of an account. Others than the poll may ask it, too.
type inUse struct{ now atomic.Pointer[messageSource] }

func (u *inUse) get() messageSource { return *u.now.Load() }

func (u *inUse) set(s messageSource) { u.now.Store(&s) }
