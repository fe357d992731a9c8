package poll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	firstChats = 3         // read at the first start, to find the newest message
	proofSlack = time.Hour // between the last poll and what is surely older
	cursorsPer = 500       // in one query
)

// start sets the watermark of an account that was never polled. Message ids grow over the whole
// platform, so the newest message of the newest chats is the newest of all, and no chat needs a
// cursor of its own yet.
func (in *inbox) start(ctx context.Context, c *cycle, seen listing) error {
	backlog, err := in.findBacklog(ctx, c, seen)
	if err != nil {
		return err
	}
	in.watermark, err = in.newest(ctx, c, seen)
	if err != nil {
		return err
	}
	if err := in.deliverOwn(ctx, c, seen.began); err != nil {
		return err
	}
	in.adopt(seen)
	in.started = true
	in.sweepActive(c, seen)
	for i := range in.rows {
		if cursor, found := backlog[in.rows[i].peer]; found {
			in.reopen(seen, i, cursor, true)
			c.more.Store(true)
		}
	}
	in.heard.list(seen.began)
	return nil
}

// findBacklog returns a cursor for each chat with messages that were unread at the first start. It is
// delivered before anything is read, since reading may mark messages as seen: its ID is 0 and its
// mark is their number. A start that did not come to its end left such cursors, too.
func (in *inbox) findBacklog(ctx context.Context, c *cycle, seen listing) (map[platform.UserID]Cursor, error) {
	if c.cfg.Backlog == Skip {
		return nil, nil
	}
	backlog, err := c.cursorsOf(ctx, event.Messages, seen)
	if err != nil {
		return nil, err
	}
	for i := range seen.Len() {
		peer, unread := seen.Peer(i), seen.Unread(i)
		if _, found := backlog[peer]; found || unread <= 0 {
			continue
		}
		cursor := Cursor{Source: event.Messages, Peer: peer, Mark: uint64(clampUnread(unread)), PolledAt: seen.began}
		if err := c.deliver(ctx, Batch{Cursor: cursor}); err != nil {
			return nil, err
		}
		backlog[peer] = cursor
	}
	return backlog, nil
}

// newest returns the id of the newest message. A chat that the platform refuses to show is passed over.
func (in *inbox) newest(ctx context.Context, c *cycle, seen listing) (platform.MessageID, error) {
	var newest platform.MessageID
	var refusal error
	for i, read := 0, 0; i < seen.Len() && read < firstChats; i++ {
		params := platform.MessagesParams{Peer: seen.Peer(i), PageSize: c.cfg.page(notificationPage)}
		page, err := in.page(ctx, c, params)
		if isMissing(err) && !errors.Is(err, errNoMessages) {
			refusal = err
			continue
		}
		if err != nil {
			return 0, err
		}
		if len(page) > 0 {
			newest = max(newest, page[len(page)-1].ID)
		}
		in.server.cut(len(page), params.PageSize)
		read++
		refusal = nil
	}
	if newest == 0 && refusal != nil {
		return 0, refusal
	}
	return newest, nil
}

// adopt remembers a list as it is, without a look at its chats.
func (in *inbox) adopt(seen listing) {
	in.rows = make([]row, seen.Len())
	for i := range in.rows {
		r := &in.rows[i]
		*r = row{peer: seen.Peer(i), digest: seen.Digest(i), unread: clampUnread(seen.Unread(i))}
		r.aged(seen.Time(i), seen.began, seen.ended)
	}
	in.listed, in.agedAt = true, seen.began
}

// restore finds out, after a restart, which chats moved meanwhile.
//
// A row with the mark of its stored cursor did not, unless it shows an age less than the time since the
// last poll. One with another mark did, and so did one without a cursor that has unread messages, or
// stands above the newest one that did not move. Of the others, those surely older than the last
// poll are done with, and the rest is swept little by little.
func (in *inbox) restore(ctx context.Context, c *cycle, seen listing) error {
	stored, err := c.cursorsOf(ctx, event.Messages, seen)
	if err != nil {
		return err
	}
	in.adopt(seen)
	gap := min(max(0, seen.began.Sub(in.polledAt)), maxAge)
	rests := func(i int) bool {
		cursor, found := stored[in.rows[i].peer]
		return found && cursor.Mark == in.rows[i].digest && !in.rows[i].youngerThan(gap)
	}
	anchor, unproved := 0, []platform.UserID(nil)
	for i := range in.rows {
		if rests(i) {
			anchor = i
			break
		}
	}
	for i := range in.rows {
		r := &in.rows[i]
		cursor, found := stored[r.peer]
		switch {
		case rests(i):
			if in.unsettled(c, cursor) {
				in.sweepAgain(c, seen, i, cursor)
			}
		case found || r.unread > 0 || i < anchor:
			in.reopen(seen, i, cursor, found).again = found && in.unsettled(c, cursor)
		case r.age != 0 && !r.youngerThan(2*(gap+proofSlack)):
		default:
			r.state |= rowUnproved
			unproved = append(unproved, r.peer)
		}
	}
	in.heard.doubt(unproved)
	in.sweepActive(c, seen)
	return nil
}

// sweepActive makes the newest chats be swept if they were active lately, as far as the list tells.
func (in *inbox) sweepActive(c *cycle, seen listing) {
	for i := range min(seen.Len(), sweepsAtOnce) {
		age, _, ok := parseAge(seen.Time(i))
		if ok && age >= sweepFor || !ok && i >= firstChats {
			continue
		}
		ch := in.meet(seen, i)
		ch.active(c.began, c.cfg.SweepAfter)
		in.sweep(ch, ch.sweepAt)
	}
}

// reopen makes a chat be read from its stored cursor, or from the watermark.
func (in *inbox) reopen(seen listing, i int, cursor Cursor, found bool) *chat {
	ch := in.meet(seen, i)
	ch.resume(in.watermark, cursor, found)
	in.pend(ch)
	return ch
}

// cursorsOf reads the stored cursors of the peers of a list.
func (c *cycle) cursorsOf(ctx context.Context, source event.Source, seen listing) (map[platform.UserID]Cursor, error) {
	peers := make([]platform.UserID, seen.Len())
	for i := range peers {
		peers[i] = seen.Peer(i)
	}
	return c.cursors(ctx, source, peers)
}

// cursors reads the stored cursors of peers, many at a time.
func (c *cycle) cursors(ctx context.Context, source event.Source, peers []platform.UserID) (map[platform.UserID]Cursor, error) {
	found := map[platform.UserID]Cursor{}
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
