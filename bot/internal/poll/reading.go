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

	backCalls int // that the last goBack took
}

// run reads to the end, or until MaxPages were read; whole tells which.
func (r *reading) run(ctx context.Context) (whole bool, err error) {
	if err := r.beginReading(ctx); err != nil {
		return false, err
	}
	if r.chat.back != nil {
		if whole, err = r.goBack(ctx); err != nil || !whole {
			return false, err
		}
		// A read back that spans cycles ends at what was newest when it began.
		r.from = r.chat.cursor // what came meanwhile
	}
	if whole, err = r.readOn(ctx); err != nil || !whole {
		return false, err
	}
	if r.chat.mark == r.chat.digest && !r.chat.reset.under {
		return true, nil
	}
	// The row changed for another reason than messages: the next start should know. What was read may be newer than the row, as
	// the list came first: then the next list shows that it moved once more, and a read finds nothing.
	return true, r.deliverBatch(ctx, Batch{}, r.chat.cursor, r.chat.digest)
}

// read goes forward from r.from where that is known to miss nothing, and else back from the newest
// message.
func (r *reading) read(ctx context.Context) (whole bool, err error) {
	ch, asked := r.chat, r.c.cfg.pageSize(messagePage)
	for range r.c.cfg.MaxPages {
		// From 0, a page forward would be the chat's whole past, oldest first; and where the newest page comes first, it would leave out what lies
		// between the cursor and that page.
		if order, _ := r.cr.server.knownOrder(); r.from == 0 || ch.backlog > 0 || ch.again || order == newestFirst {
			return r.goBackAndOn(ctx)
		}
		page, err := r.readPage(ctx, platform.MessagesParams{Peer: r.chat.peer, After: r.from, PageSize: asked})
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
			return r.goBackAndOn(ctx)
		}
		last := page[len(page)-1].ID
		if err := r.deliverNew(ctx, page, !cut); err != nil || !cut && !probed && last <= ch.cursor {
			return true, err
		}
		// What came before the probe was answered may count as seen, and nothing would show it any more. And where the
		// cursor does not rise to the last id, the next read would show no more than this one.
		r.from = last
	}
	return false, nil
}

// askOrder asks for one row behind r.from, where several are: the first one or the last one comes.
func (r *reading) askOrder(ctx context.Context, first platform.MessageID) error {
	answer, err := r.cr.readPage(ctx, r.c, platform.MessagesParams{Peer: r.chat.peer, After: r.from, PageSize: 1})
	if err != nil && !platform.Final(err) {
		return err
	}
	r.cr.server.learnOrder(first, answer)
	return nil
}

// goBackAndOn is goBack until that takes no more than one call, or finds nothing any more: what came between two
// calls may count as seen, and nothing would show it any more.
func (r *reading) goBackAndOn(ctx context.Context) (whole bool, err error) {
	for again := range r.c.cfg.MaxPages {
		found := r.fresh + r.own
		whole, err = r.goBack(ctx)
		vain := again > 0 && r.fresh+r.own == found // there are ids above the cursor to which it does not rise
		if err != nil || !whole || vain || r.backCalls <= 1 || r.chat.cursor == 0 {
			return whole, err
		}
		r.from = r.chat.cursor
	}
	return false, nil
}

// goBack reads from the newest message back to r.from. What it has read is kept when it fails or
// reaches the bound of a cycle, and the next read goes on from there.
func (r *reading) goBack(ctx context.Context) (whole bool, err error) {
	b := r.chat.back
	if b == nil {
		b = r.beginCollection()
		r.chat.back = b
	}
	left := r.c.cfg.MaxPages
	deliver := func(messages []platform.Message, last bool) error { return r.deliverNew(ctx, messages, last) }
	whole, err = b.read(&left, func() error { return r.pageBack(ctx, b) }, func() (bool, error) {
		b.beginHanding(r.chat)
		return b.handPart(deliver)
	})
	r.backCalls = r.c.cfg.MaxPages - left
	if err != nil || !whole {
		return false, err
	}
	// After the batch is accepted, and not before: a failure hands the same messages over once more.
	r.chat.backlog, r.chat.again = 0, false
	r.chat.endCollection()
	r.cr.in.hearing.noteReading(time.Time{})
	return true, nil
}

// isOwn reports whether m is the account's own message.
func (ch *chat) isOwn(m platform.Message) bool {
	return m.Own || m.From != 0 && m.From != ch.peer
}

// deliverNew delivers those of messages that were not delivered before. Only behind the last page the
// row's mark holds.
func (r *reading) deliverNew(ctx context.Context, messages []platform.Message, last bool) error {
	ch, now, top := r.chat, time.Now(), r.chat.cursor
	b := Batch{Again: ch.reset.under}
	was, believed := r.cr.in.level.seeAll(now, messages)
	earliest := r.earliestTime(last)
	for i, m := range messages {
		if ch.tail.hasID(int64(m.ID)) {
			continue
		}
		// The cursor stays below an id that leaps: all that is written until others reach it would count as read.
		if m.ID <= believed {
			top = max(top, m.ID)
		}
		again := ch.again && m.ID <= ch.cursor
		switch {
		case again && ch.isOwn(m):
			ch.tail.add(int64(m.ID)) // a person's words must not take the conversation over twice
			continue
		case ch.isOwn(m):
			b.Own = append(b.Own, m)
			continue
		}
		b.Events = append(b.Events, r.eventOf(m, now))
		b.Events[len(b.Events)-1].SaidAt = saidAfter(&messages[i], &messages[len(messages)-1], earliest)
		if again {
			b.again++
		}
	}
	if len(b.Events)+len(b.Own) == 0 {
		return nil
	}
	if len(b.Own) > 0 {
		b.LastAt, b.LastShown = r.lastAt(), messages[len(messages)-1].Time
	}
	if !r.c.odds.isEmpty() || r.hasLeap(messages, was) {
		if err := r.c.odds.resolve(ctx, r.c, &b, r.sightOf(messages, was, believed, last)); err != nil {
			if errors.Is(err, errMoved) {
				ch.endCollection()
			}
			return err
		}
	}
	if err := r.deliverBatch(ctx, b, top, r.cursorMark(last)); err != nil {
		return err
	}
	r.fresh += len(b.Events) - b.again
	r.own += len(b.Own)
	for i := range messages {
		ch.tail.noteID(int64(messages[i].ID), messages[i].ID > believed)
	}
	return nil
}

// cursorMark returns the mark of the cursor. The next start takes a row with it for one that did not move: after half a chat, that would leave the other half out.
func (r *reading) cursorMark(last bool) uint64 {
	if last {
		return r.chat.digest
	}
	return r.chat.mark
}

// earliestTime returns when the newest message of the last page was said at the earliest; zero where the chat's row does not tell, or there is another page.
func (r *reading) earliestTime(last bool) (at time.Time) {
	if last && r.cr.isInPlace(r.chat) {
		at = r.cr.in.rows[r.chat.index].earliestTime()
	}
	return at
}

// lastAt returns when the newest message of the chat was said, at the latest; zero where its row does not tell.
func (r *reading) lastAt() time.Time {
	if !r.cr.isInPlace(r.chat) || r.cr.in.rows[r.chat.index].born == 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.cr.in.rows[r.chat.index].born)
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

// deliverBatch hands over a batch, and moves the chat's cursor when it was accepted.
func (r *reading) deliverBatch(ctx context.Context, b Batch, cursor platform.MessageID, mark uint64) error {
	b.Cursor = record.Cursor{
		Source: event.Messages, Peer: r.chat.peer, ID: int64(cursor), Mark: mark, PolledAt: r.c.began, Back: r.chat.reset.under,
	}
	// Accepted is not stored. Should a crash come between, the stored cursor is the older one: events come again, and the
	// Sink drops them. The other way round they would be lost.
	if err := r.c.deliverBatch(ctx, b); err != nil {
		return err
	}
	r.chat.cursor, r.chat.mark, r.chat.reset.under = cursor, mark, false
	return nil
}

// readPage reads a page of messages, and tells at once of own ones that are news.
func (r *reading) readPage(ctx context.Context, params platform.MessagesParams) ([]platform.Message, error) {
	page, err := r.cr.readPage(ctx, r.c, params)
	if err != nil {
		return nil, err
	}
	var own []platform.Message
	for _, m := range page {
		if r.chat.isOwn(m) && !r.chat.tail.hasID(int64(m.ID)) && (!r.chat.again || m.ID > r.chat.cursor) {
			own = append(own, m)
		}
	}
	if b := r.chat.back; b != nil && b.readsTwice() && params.Before != 0 {
		own = nil // they were told when they were read first
	}
	if len(own) > 0 { //mutate:sighted
		r.c.cfg.Bot.NoteOwnMessages(r.chat.peer, own)
	}
	return page, nil
}

// readPage reads a page of messages.
func (cr *chatReader) readPage(ctx context.Context, c *cycle, params platform.MessagesParams) ([]platform.Message, error) {
	page, err := call(ctx, c, func(ctx context.Context) ([]platform.Message, error) {
		return c.cfg.Client.Messages(ctx, params)
	})
	if err = cr.server.noteAnswer(err, len(cr.in.rows)); err != nil {
		return nil, fmt.Errorf("read the messages with %d: %w", params.Peer, err)
	}
	return page, nil
}
