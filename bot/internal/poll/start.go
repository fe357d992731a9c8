package poll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	firstChats = 3         // read at the first start, to find the newest message
	proofSlack = time.Hour // between the last poll and what is surely older
	cursorsPer = 500       // in one query
)

// start finds the watermark of an account that was never polled. Message ids grow over the whole
// platform, so the newest message of the newest chats is the newest of all, and no chat needs a
// cursor of its own yet.
func (in *inbox) start(ctx context.Context, c *cycle, seen *listing) error {
	backlog, err := in.findBacklog(ctx, c, seen)
	if err != nil {
		return err
	}
	in.watermark, in.odd, err = in.newest(ctx, c, seen)
	if err != nil {
		return err
	}
	in.level.drop(in.watermark)
	in.adopt(seen)
	in.sweepActive(c, seen)
	for i := range in.rows {
		if cursor, found := backlog[in.rows[i].peer]; found {
			in.reopen(seen, i, cursor, true)
			c.more.Store(true)
		}
	}
	if err := in.begin(ctx, c); err != nil {
		return err
	}
	in.heardList(c, seen)
	return nil
}

// begin delivers where an account begins that was never polled, once that is found. It is found only once: when it
// cannot be stored, what comes until it can is news.
func (in *inbox) begin(ctx context.Context, c *cycle) error {
	if in.started || !in.listed {
		return nil
	}
	found := moment(in.since)
	if err := in.deliverOwn(ctx, c, found); err != nil {
		return err
	}
	for _, b := range in.odd {
		b.Cursor.ID = int64(in.watermark)
		if err := c.deliver(ctx, b); err != nil {
			return err
		}
	}
	in.started, in.polledAt, in.odd = true, found, nil
	return nil
}

// findBacklog returns a cursor for each chat with messages that were unread at the first start. It is
// delivered before anything is read, since reading may mark messages as seen: its ID is 0 and its
// mark is their number. A start that did not come to its end left such cursors, too; there may be more by now.
func (in *inbox) findBacklog(ctx context.Context, c *cycle, seen *listing) (map[platform.UserID]record.Cursor, error) {
	if c.cfg.Backlog == event.Skip {
		return nil, nil
	}
	backlog, err := c.cursorsOf(ctx, event.Messages, seen)
	if err != nil {
		return nil, err
	}
	for i := range seen.len() {
		peer, unread := seen.glances[i].peer, uint64(seen.glances[i].unread)
		if unread <= backlog[peer].Mark { //mutate:backlog-grows
			continue
		}
		cursor := record.Cursor{Source: event.Messages, Peer: peer, Mark: unread, PolledAt: seen.began}
		if err := c.deliver(ctx, Batch{Cursor: cursor}); err != nil {
			return nil, err
		}
		backlog[peer] = cursor
	}
	return backlog, nil
}

// newest returns the id of the newest message, and those with ids where no platform has got to: they are backlog, too.
// A chat that the platform refuses to show is passed over.
func (in *inbox) newest(ctx context.Context, c *cycle, seen *listing) (newest platform.MessageID, odd []Batch, err error) {
	var refusal error
	for i, read := 0, 0; i < seen.len() && read < firstChats; i++ {
		params := platform.MessagesParams{Peer: seen.glances[i].peer, PageSize: c.cfg.page(notificationPage)}
		page, err := in.page(ctx, c, params)
		if (platform.Final(err) || platform.NoEndpoint(err)) && !errors.Is(err, errNoMessages) {
			refusal = err
			continue
		}
		if err != nil {
			return 0, nil, err
		}
		ch := &chat{peer: seen.glances[i].peer}
		b := Batch{Cursor: record.Cursor{Source: event.Messages, Peer: ch.peer, PolledAt: seen.began}}
		for _, m := range page {
			switch {
			case !leap.Over(0, int64(m.ID)):
				newest = max(newest, m.ID)
			case !ch.wrote(m) && c.cfg.Backlog == event.Skip:
				r := reading{in: in, c: c, chat: ch}
				b.addBacklog(r.event(m, seen.began))
			}
		}
		if len(b.Events) > 0 {
			odd = append(odd, b)
		}
		in.server.cut(len(page), params.PageSize)
		read++
		refusal = nil
	}
	if newest == 0 && refusal != nil {
		return 0, nil, refusal
	}
	return newest, odd, nil
}

// adopt remembers a list as it is, without a look at its chats.
func (in *inbox) adopt(seen *listing) {
	in.rows = make([]row, seen.len())
	for i := range in.rows {
		g := &seen.glances[i]
		r := &in.rows[i]
		*r = row{peer: g.peer, digest: g.digest, unread: g.unread}
		r.aged(g, seen.began, seen.ended)
	}
	in.listed, in.agedAt, in.wasCut = true, seen.began, seen.cut != nil
	if in.since == 0 {
		in.since = seen.began.UnixMilli()
	}
}

// restore finds out, after a restart, which chats moved meanwhile.
//
// A row with the mark of its stored cursor did not, unless it shows an age less than the time since the
// last poll. One with another mark did, and so did one without a cursor that has unread messages, or
// stands above the newest one that did not move. Of the others, those surely older than the last
// poll are done with, and the rest is swept little by little.
func (in *inbox) restore(ctx context.Context, c *cycle, seen *listing) error {
	stored, err := c.cursorsOf(ctx, event.Messages, seen)
	if err != nil {
		return err
	}
	if err := in.restoreLevel(ctx, c, seen, stored); err != nil {
		return err
	}
	in.adopt(seen)
	gap := in.gap(seen)
	first, unproved := -1, []platform.UserID(nil)
	for i := range in.rows {
		if in.rows[i].rests(stored, gap) {
			first = i
			break
		}
	}
	for i := range in.rows {
		in.resumeRow(c, seen, i, stored, gap, i < first)
		if in.rows[i].state&rowUnproved != 0 {
			unproved = append(unproved, in.rows[i].peer)
		}
	}
	if seen.cut != nil && first < 0 {
		in.cutOff(c.began).doubt(moment(in.since))
	}
	in.heard.doubt(unproved)
	in.sweepActive(c, seen)
	return nil
}

// surface finds out whether chats moved whose rows stood behind a cut of the lists until now. They stand below one that
// did not move since the last list, but may have moved before.
func (in *inbox) surface(ctx context.Context, c *cycle, seen *listing, rows []int) error {
	if len(rows) == 0 { //mutate:surface
		return nil
	}
	peers := make([]platform.UserID, len(rows))
	for n, i := range rows {
		peers[n] = in.rows[i].peer
	}
	stored, err := c.cursors(ctx, event.Messages, peers)
	if err != nil {
		return err
	}
	gap := in.gap(seen)
	for _, i := range rows {
		in.rows[i].take(seen, i)
		in.resumeRow(c, seen, i, stored, gap, false)
	}
	return nil
}

// gap returns the time since which a row that was not seen in this incarnation may have moved.
func (in *inbox) gap(seen *listing) time.Duration {
	return min(max(0, seen.began.Sub(moment(in.since))), maxAge)
}

// rests reports whether a row is surely as it was when its cursor was stored, if the time since was so long.
func (r *row) rests(stored map[platform.UserID]record.Cursor, gap time.Duration) bool {
	cursor, found := stored[r.peer]
	return found && cursor.Mark == r.digest && !r.youngerThan(gap)
}

// resumeRow decides what becomes of a row that this incarnation has not seen before. moved tells that its place betrays it.
func (in *inbox) resumeRow(c *cycle, seen *listing, i int, stored map[platform.UserID]record.Cursor, gap time.Duration, moved bool) {
	r := &in.rows[i]
	cursor, found := stored[r.peer]
	switch {
	case found && leap.Over(int64(in.level.top()), cursor.ID): // what was missed moves no row
		in.reopen(seen, i, cursor, found)
	case r.rests(stored, gap):
		if in.unswept(c, cursor) {
			in.sweepAgain(c, seen, i, cursor)
		}
	case found || r.unread > 0 || moved:
		in.reopen(seen, i, cursor, found).again = found && in.unswept(c, cursor)
	case r.age != 0 && !r.youngerThan(2*(gap+proofSlack)):
	default:
		r.state |= rowUnproved
	}
}

// sweepActive makes the newest chats be swept if they were active lately, as far as the list tells.
func (in *inbox) sweepActive(c *cycle, seen *listing) {
	for i := range min(seen.len(), sweepsAtOnce) {
		age, _, ok := seen.glances[i].age()
		if ok && age >= sweepFor || !ok && i >= firstChats {
			continue
		}
		ch := in.meet(seen, i)
		ch.active(c.began, c.cfg.SweepAfter)
		in.sweep(ch, ch.sweepAt)
	}
}

// reopen makes a chat be read from its stored cursor, or from the watermark.
func (in *inbox) reopen(seen *listing, i int, cursor record.Cursor, found bool) *chat {
	ch := in.meet(seen, i)
	ch.resume(in.watermark, cursor, found)
	ch.doubtful(in.level.top())
	in.pend(ch)
	return ch
}

// cursorsOf reads the stored cursors of the peers of a list.
func (c *cycle) cursorsOf(ctx context.Context, source event.Source, seen *listing) (map[platform.UserID]record.Cursor, error) {
	peers := make([]platform.UserID, seen.len())
	for i := range peers {
		peers[i] = seen.glances[i].peer
	}
	return c.cursors(ctx, source, peers)
}

// cursors reads the stored cursors of peers, many at a time.
func (c *cycle) cursors(ctx context.Context, source event.Source, peers []platform.UserID) (map[platform.UserID]record.Cursor, error) {
	found := map[platform.UserID]record.Cursor{}
	for len(peers) > 0 {
		n := min(len(peers), cursorsPer)
		list, err := c.cfg.Cursors.Cursors(ctx, c.cfg.Account, source, peers[:n])
		if err != nil {
			return nil, fmt.Errorf("read the cursors of %v: %w", source, err)
		}
		for _, cursor := range list {
			found[cursor.Peer] = cursor
		}
		peers = peers[n:]
	}
	return found, nil
}
