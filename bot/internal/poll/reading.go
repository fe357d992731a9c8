package poll

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// reading is one read of a chat: everything above from that was not delivered before.
type reading struct {
	cr       *chatReader
	c        *cycle
	chat     *chat
	from     platform.MessageID
	sweeping bool
	fresh    int // messages of the peer that were delivered
	own      int // own messages that were not seen before
	pages    int // that the last descend read
}

// read reads to the end, or until MaxPages were read; whole tells which.
func (r *reading) read(ctx context.Context) (whole bool, err error) {
	ch := r.chat
	if err := r.resetCursor(ctx); err != nil {
		return false, err
	}
	if ch.descent != nil {
		if whole, err = r.descend(ctx); err != nil || !whole {
			return false, err
		}
		// A descent that spans cycles ends at what was newest when it began.
		r.from = ch.cursor // what came meanwhile
	}
	if whole, err = r.readUp(ctx); err != nil || !whole {
		return false, err
	}
	// The chat list promises what is not above the cursor: that may stand too high.
	vain := !r.sweeping && ch.news && r.fresh+r.own == 0 && r.pages == 0 && ch.checked != ch.digest
	if vain && r.c.cfg.Delivered != nil { //mutate:chat-recheck
		back, err := r.recheckNewest(ctx)
		if err != nil {
			return false, err
		}
		if ch.checked = ch.digest; back {
			if whole, err = r.readUp(ctx); err != nil || !whole {
				return false, err
			}
		}
	}
	if ch.mark == ch.digest && !ch.reset.undelivered {
		return true, nil
	}
	// The row changed for another reason than messages: the next start should know. What was read may be newer than the row, as
	// the list came first: then the next list shows that it moved once more, and a read finds nothing.
	return true, r.deliverUpTo(ctx, Batch{}, ch.cursor, true)
}

// readUp reads page by page upward from r.from where that is known to miss nothing, and else down from the newest message.
func (r *reading) readUp(ctx context.Context) (whole bool, err error) {
	ch, asked := r.chat, r.c.cfg.pageSize(messagePage)
	for range r.c.cfg.MaxPages {
		// From 0, a page upward would be the chat's whole past, oldest first; and where the newest page comes first, it would leave out what lies
		// between the cursor and that page.
		if order, _ := r.cr.server.knownOrder(); r.from == 0 || ch.backlog > 0 || ch.again || order == newestFirst {
			return r.readDown(ctx)
		}
		page, err := r.readPage(ctx, platform.MessagesParams{Peer: ch.peer, After: r.from, PageSize: asked})
		if err != nil || len(page) == 0 {
			return true, err
		}
		cut := r.cr.server.cut(len(page), asked)
		probed := len(page) > 1 && r.cr.server.wantsOrder()
		if probed {
			if err := r.askOrder(ctx, page[0].ID); err != nil {
				return false, err
			}
		}
		order, _ := r.cr.server.knownOrder()
		if order == newestFirst || cut && (order == orderUnknown || len(page) < min(fewRows, asked)) {
			return r.readDown(ctx)
		}
		last := page[len(page)-1].ID
		if err := r.deliverMessages(ctx, page, !cut); err != nil || !cut && !probed && last <= ch.cursor {
			return true, err
		}
		// What came before the probe was answered may count as seen, and nothing would show it any more. And where the
		// cursor does not rise to the last id, the next read would show no more than this one.
		r.from = last
	}
	return false, nil
}

// readDown descends until that takes no more than one page, or finds nothing any more: what came between two
// pages may count as seen, and nothing would show it any more.
func (r *reading) readDown(ctx context.Context) (whole bool, err error) {
	for again := range r.c.cfg.MaxPages {
		found := r.fresh + r.own
		whole, err = r.descend(ctx)
		vain := again > 0 && r.fresh+r.own == found // there are ids above the cursor to which it does not rise
		if err != nil || !whole || vain || r.pages <= 1 || r.chat.cursor == 0 {
			return whole, err
		}
		r.from = r.chat.cursor
	}
	return false, nil
}

// descend reads from the newest message down to r.from. What it has read is kept when it fails or
// reaches the bound of a cycle, and the next read goes on from there.
func (r *reading) descend(ctx context.Context) (whole bool, err error) {
	ch, left := r.chat, r.c.cfg.MaxPages
	if ch.descent == nil {
		ch.descent = r.newDescent()
	}
	whole, err = ch.descent.read(ctx, &left, r.readNextPage, ch.descent.beginHanding, r.deliverMessages)
	if r.pages = r.c.cfg.MaxPages - left; err != nil || !whole {
		return false, err
	}
	// After the batch is accepted, and not before: a failure hands the same messages over once more.
	ch.backlog, ch.again = 0, false
	ch.endDescent()
	r.cr.in.hearing.noteReading(time.Time{})
	return true, nil
}

// readPage reads a page of messages, and tells at once of own ones that are news.
func (r *reading) readPage(ctx context.Context, params platform.MessagesParams) ([]platform.Message, error) {
	page, err := r.cr.getMessages(ctx, r.c, params)
	if err != nil {
		return nil, err
	}
	var own []platform.Message
	// What is read a second time was told at the first.
	told := r.chat.descent != nil && r.chat.descent.readsTwice() && params.Before != 0
	for _, m := range page {
		if !told && r.chat.isOwn(m) && !r.chat.tail.hasID(int64(m.ID)) && (!r.chat.again || m.ID > r.chat.cursor) {
			own = append(own, m)
		}
	}
	if len(own) > 0 { //mutate:sighted
		r.c.cfg.Bot.NoteOwnMessages(r.chat.peer, own)
	}
	return page, nil
}

// getMessages makes a call of get_messages.
func (cr *chatReader) getMessages(ctx context.Context, c *cycle, params platform.MessagesParams) ([]platform.Message, error) {
	page, err := call(ctx, c, func(ctx context.Context) ([]platform.Message, error) {
		return c.cfg.Client.Messages(ctx, params)
	})
	if err = cr.server.noteAnswer(err, len(cr.in.rows)); err != nil {
		return nil, fmt.Errorf("read the messages with %d: %w", params.Peer, err)
	}
	return page, nil
}

// askOrder asks for one row behind r.from, where several are: the first one or the last one comes.
func (r *reading) askOrder(ctx context.Context, first platform.MessageID) error {
	answer, err := r.cr.getMessages(ctx, r.c, platform.MessagesParams{Peer: r.chat.peer, After: r.from, PageSize: 1})
	if err != nil && !platform.Final(err) {
		return err
	}
	r.cr.server.learnOrder(first, answer)
	return nil
}

// deliverMessages delivers those of messages that were not delivered before; last tells that there are no others to read.
func (r *reading) deliverMessages(ctx context.Context, messages []platform.Message, last bool) error {
	ch := r.chat
	was, believed := r.cr.in.level.seeAll(time.Now(), messages)
	b, cursor := r.batchOf(messages, believed, last)
	if len(b.Events)+len(b.Own) == 0 {
		return nil
	}
	if !r.c.odds.isEmpty() || r.hasLeap(messages, was) {
		if err := r.c.odds.resolve(ctx, r.c, &b, r.sightOf(messages, was, believed, last)); err != nil {
			if errors.Is(err, errMoved) {
				ch.endDescent()
			}
			return err
		}
	}
	if err := r.deliverUpTo(ctx, b, cursor, last); err != nil {
		return err
	}
	r.fresh += len(b.Events) - b.again
	r.own += len(b.Own)
	for i := range messages {
		ch.tail.noteID(int64(messages[i].ID), messages[i].ID > believed)
	}
	return nil
}

// batchOf returns those of messages that were not delivered before, and up to where the cursor rises with them.
func (r *reading) batchOf(messages []platform.Message, believed platform.MessageID, last bool) (b Batch, cursor platform.MessageID) {
	ch, now := r.chat, time.Now()
	var earliest, latest time.Time // when the newest message of the chat was said, as its row tells
	if row := r.cr.listedRow(ch); row != nil {
		latest = timeOfMilli(row.born)
		if last {
			earliest = row.earliestTime()
		}
	}
	b.Again, cursor = ch.reset.undelivered, ch.cursor
	for i, m := range messages {
		if ch.tail.hasID(int64(m.ID)) {
			continue
		}
		// The cursor stays below an id that leaps: all that is written until others reach it would count as read.
		if m.ID <= believed {
			cursor = max(cursor, m.ID)
		}
		newest := &messages[len(messages)-1]
		again := ch.again && m.ID <= ch.cursor
		switch {
		case again && ch.isOwn(m):
			ch.tail.add(int64(m.ID)) // a person's words must not take the conversation over twice
			continue
		case ch.isOwn(m):
			b.Own, b.LastAt, b.LastShown = append(b.Own, m), latest, newest.Time
			continue
		case again:
			b.again++
		}
		e := r.eventOf(m, now)
		e.SaidAt = saidAfter(&messages[i], newest, earliest)
		b.Events = append(b.Events, e)
	}
	return b, cursor
}

// eventOf makes an event of a message.
func (r *reading) eventOf(m platform.Message, now time.Time) event.Event {
	e := event.Event{
		Account: r.c.cfg.Account,
		ID:      event.ID{Source: event.Messages, Number: int64(m.ID)},
		Kind:    event.KindMessage,
		Peer:    r.chat.peer, Name: r.chat.name, User: r.chat.user,
		Text:   m.Text,
		SeenAt: now, NotBefore: r.chat.clean,
	}
	if m.Media() {
		e.Image = m.MediaURL
	}
	return e
}

// isOwn reports whether m is the account's own message.
func (ch *chat) isOwn(m platform.Message) bool {
	return m.Own || m.From != 0 && m.From != ch.peer
}

// deliverUpTo hands over a batch, and moves the chat's cursor when it was accepted.
func (r *reading) deliverUpTo(ctx context.Context, b Batch, cursor platform.MessageID, last bool) error {
	ch, mark := r.chat, r.chat.mark
	if last { // not before: the next start takes a row with the mark for one that did not move, and would leave out the rest
		mark = ch.digest
	}
	b.Cursor = record.Cursor{
		Source: event.Messages, Peer: ch.peer, ID: int64(cursor), Mark: mark, PolledAt: r.c.began, Back: ch.reset.undelivered,
	}
	// Accepted is not stored. Should a crash come between, the stored cursor is the older one: events come again, and the
	// Sink drops them. The other way round they would be lost.
	if err := r.c.deliverBatch(ctx, b); err != nil {
		return err
	}
	ch.cursor, ch.mark, ch.reset.undelivered = cursor, mark, false
	return nil
}
