package poll

import (
	"context"
	"errors"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

const (
	firstChats = 3         // read at the first start, to find the newest message
	proofSlack = time.Hour // between the last poll and what is surely older
)

// start finds the watermark of an account that was never polled. Message ids grow over the whole
// platform, so the newest message of the newest chats is the newest of all, and no chat needs a
// cursor of its own yet.
func (cr *chatReader) start(ctx context.Context, c *cycle, seen *listing) error {
	// First, since reading below may mark as seen what is unread now, and the list would never tell of it again.
	backlog, err := cr.findBacklog(ctx, c, seen)
	if err != nil {
		return err
	}
	// One number is the cursor of all chats, also of those that no list has shown yet. What is written while it is looked for may
	// stand on either side of it; what is written later stands above.
	newest, odd, err := cr.newestMessage(ctx, c, seen)
	if err != nil {
		return err
	}
	if cr.watermark = newest; len(odd) > 0 {
		cr.in.odd = &odd
	}
	cr.in.level.setTop(cr.watermark)
	cr.in.adoptList(seen)
	cr.sweepActive(c, seen)
	for i := range cr.in.rows {
		if cursor, found := backlog[cr.in.rows[i].peer]; found {
			cr.reopen(seen, i, cursor, true)
			c.more.Store(true)
		}
	}
	if err := cr.in.deliverStart(ctx, c); err != nil {
		return err
	}
	cr.heardList(c, seen)
	return nil
}

// findBacklog returns a cursor for each chat with messages that were unread at the first start. It is
// delivered before anything is read, since reading may mark messages as seen: its ID is 0 and its
// mark is their number. A start that did not come to its end left such cursors, too; there may be more by now.
func (cr *chatReader) findBacklog(ctx context.Context, c *cycle, seen *listing) (map[platform.UserID]record.Cursor, error) {
	if c.cfg.Backlog == event.Skip {
		return nil, nil
	}
	backlog, err := c.cursorsOf(ctx, seen)
	if err != nil {
		return nil, err
	}
	for i := range seen.len() {
		peer, unread := seen.glances[i].peer, uint64(seen.glances[i].unread)
		// One that a start before has counted may have been read since by ourselves, and is still to be delivered.
		if unread <= backlog[peer].Mark { //mutate:backlog-grows
			continue
		}
		cursor := record.Cursor{Source: event.Messages, Peer: peer, Mark: unread, PolledAt: seen.began}
		if err := c.deliverBatch(ctx, Batch{Cursor: cursor}); err != nil {
			return nil, err
		}
		backlog[peer] = cursor
	}
	return backlog, nil
}

// newestMessage returns the id of the newest message, and those with ids where no platform has got to: they are backlog, too.
// A chat that the platform refuses to show is passed over.
func (cr *chatReader) newestMessage(ctx context.Context, c *cycle, seen *listing) (newest platform.MessageID, odd []Batch, err error) {
	var refusal error
	for i, read := 0, 0; i < seen.len() && read < firstChats; i++ {
		params := platform.MessagesParams{Peer: seen.glances[i].peer, PageSize: c.cfg.pageSize(notificationPage)}
		page, err := cr.getMessages(ctx, c, params)
		// One chat that the platform refuses to show must not keep the account from beginning; if it refuses all of them, that is the answer.
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
			// The mark of the start is made of ids that can be believed. An absurd one would make all that comes later older than the start.
			case !leap.IsLeap(0, int64(m.ID)):
				newest = max(newest, m.ID)
			case !ch.isOwn(m) && c.cfg.Backlog == event.Skip:
				r := reading{cr: cr, c: c, chat: ch}
				b.addBacklog(r.eventOf(m, seen.began))
			}
		}
		if len(b.Events) > 0 {
			odd = append(odd, b)
		}
		cr.server.cut(len(page), params.PageSize)
		read++
		refusal = nil
	}
	if newest == 0 && refusal != nil {
		return 0, nil, refusal
	}
	for i := range odd {
		// Not its own id: the cursor of that chat would stand above everything that comes.
		odd[i].Cursor.ID = int64(newest)
	}
	return newest, odd, nil
}

// restore finds out, after a restart, which chats moved meanwhile.
//
// A row with the mark of its stored cursor did not, unless it shows an age less than the time since the
// last poll. One with another mark did, and so did one without a cursor that has unread messages, or
// stands above the newest one that did not move. Of the others, those surely older than the last
// poll are done with, and the rest is swept little by little.
func (cr *chatReader) restore(ctx context.Context, c *cycle, seen *listing) error {
	stored, err := c.cursorsOf(ctx, seen)
	if err != nil {
		return err
	}
	// Which ids are believed comes before what is made of them: the rows below are judged by it.
	if err := cr.restoreLevel(ctx, c, seen, stored); err != nil {
		return err
	}
	cr.in.adoptList(seen)
	gap := cr.in.unseenSince(seen)
	// A row that has no cursor, and stands above the first one that did not move, has moved, also when it shows the same.
	first, unproved := -1, []platform.UserID(nil)
	for i := range cr.in.rows {
		if cr.in.rows[i].isUnmoved(stored, gap) {
			first = i
			break
		}
	}
	for i := range cr.in.rows {
		cr.resumeRow(c, seen, i, stored, gap, i < first)
		if cr.in.rows[i].state&rowUnproved != 0 {
			unproved = append(unproved, cr.in.rows[i].peer)
		}
	}
	// All that arrived has moved, so more may have moved behind the cut.
	if seen.cut != nil && first < 0 {
		cr.cutOff(c.began).noteMoved(timeOfMilli(cr.in.since))
	}
	// Timers and approvals wait for these, too: what was said there meanwhile is not known yet.
	cr.in.heard.noteDoubt(unproved)
	cr.sweepActive(c, seen)
	return nil
}

// readSurfaced finds out whether chats moved whose rows stood behind a cut of the lists until now. They stand below one that
// did not move since the last list, but may have moved before.
func (cr *chatReader) readSurfaced(ctx context.Context, c *cycle, seen *listing, rows []int) error {
	if len(rows) == 0 { //mutate:surface
		return nil
	}
	peers := make([]platform.UserID, len(rows))
	for n, i := range rows {
		peers[n] = cr.in.rows[i].peer
	}
	stored, err := c.readCursors(ctx, event.Messages, peers)
	if err != nil {
		return err
	}
	gap := cr.in.unseenSince(seen)
	for _, i := range rows {
		cr.in.rows[i].takeRow(seen, i)
		cr.resumeRow(c, seen, i, stored, gap, false)
	}
	return nil
}

// isUnmoved reports whether a row is surely as it was when its cursor was stored, if the time since was so long.
func (r *listRow) isUnmoved(stored map[platform.UserID]record.Cursor, gap time.Duration) bool {
	cursor, found := stored[r.peer]
	return found && cursor.Mark == r.digest && !r.youngerThan(gap)
}

// resumeRow decides what becomes of a row that this incarnation has not seen before. moved tells that its place betrays it.
func (cr *chatReader) resumeRow(c *cycle, seen *listing, i int, stored map[platform.UserID]record.Cursor, gap time.Duration, moved bool) {
	r := &cr.in.rows[i]
	cursor, found := stored[r.peer]
	switch {
	case found && leap.IsLeap(int64(cr.in.level.topID()), cursor.ID): // what was missed moves no row
		cr.reopen(seen, i, cursor, found)
	// Its mark is that of the cursor: all of it was read, but what the last incarnation had not swept yet.
	case r.isUnmoved(stored, gap):
		if cr.isUnswept(c, cursor) {
			cr.sweepAgain(c, seen, i, cursor)
		}
	case found || r.unread > 0 || moved:
		cr.reopen(seen, i, cursor, found).again = found && cr.isUnswept(c, cursor)
	// Without a cursor, nothing unread, and older than the time in which nobody looked, twice over: it has not moved.
	case r.age != 0 && !r.youngerThan(2*(gap+proofSlack)):
	default:
		r.state |= rowUnproved
	}
}

// sweepActive makes the newest chats be swept if they were active lately, as far as the list tells.
func (cr *chatReader) sweepActive(c *cycle, seen *listing) {
	for i := range min(seen.len(), sweepsAtOnce) {
		age, _, ok := seen.glances[i].shownAge()
		if ok && age >= sweepFor || !ok && i >= firstChats {
			continue
		}
		ch := cr.chatOfRow(seen, i)
		ch.markActive(c.began, c.cfg.SweepAfter)
		cr.planSweep(ch, ch.sweepAt)
	}
}

// reopen makes a chat be read from its stored cursor, or from the watermark.
func (cr *chatReader) reopen(seen *listing, i int, cursor record.Cursor, found bool) *chat {
	ch := cr.chatOfRow(seen, i)
	cr.resumeChat(ch, cursor, found)
	cr.queueChat(ch)
	return ch
}
