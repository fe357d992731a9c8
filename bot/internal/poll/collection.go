package poll

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"
	"unsafe"

	"github.com/nectar-bot/nectar/platform"
)

// collection is messages that are read from the newest one back, until one at or below an id.
type collection struct {
	descent[platform.Message]

	began  time.Time
	told   bool                 // that it goes on for long
	until  platform.MessageID   // the end
	want   int                  // not 0: until there are so many of the peer below the watermark
	found  int                  // of them
	bottom platform.MessageID   // the lowest of them, once there are enough
	top    platform.MessageID   // the watermark
	cursor platform.MessageID   // not 0: it is the first read of an incarnation, and overlaps those of the last one
	under  []platform.MessageID // of such a read: messages at or below the cursor
	pages  int

	handing bool               // some of it is handed over already
	below   platform.MessageID // up to here, messages are no part of it
}

// MessageBytes returns about how much memory a message takes until it is delivered.
func MessageBytes(m *platform.Message) int64 {
	// Twice: a slice that grows, or an event that is made of it.
	return int64(2*unsafe.Sizeof(*m)) + int64(len(m.Text)+len(m.MediaURL)+len(m.MediaType)+len(m.Time))
}

// collection begins to read back.
func (r *reading) collection() *collection {
	b := &collection{began: time.Now(), until: r.from, want: r.chat.backlog, top: r.cr.watermark}
	b.room, b.size = r.c.cfg.Room.Share(), MessageBytes
	if r.chat.again {
		// Set, it makes the read go below the cursor, by the overlap.
		b.cursor = r.chat.cursor
	}
	return b
}

// abandon ends a read back.
func (ch *chat) abandon() {
	if ch.back != nil {
		ch.back.drop()
		ch.back = nil
	}
}

// pageBack reads the next page back.
func (r *reading) pageBack(ctx context.Context, b *collection) error {
	below, whole := b.next()
	params := platform.MessagesParams{Peer: r.chat.peer, Before: platform.MessageID(below), PageSize: r.c.cfg.page(messagePage), Whole: whole}
	if below == 0 {
		params.PageSize = r.c.cfg.page(notificationPage) // mostly enough, and a page is decoded whole
	}
	page, err := r.page(ctx, params)
	if err != nil {
		return err
	}
	last := !r.cr.server.cut(len(page), params.PageSize) && r.cr.server.tells(params.PageSize)
	b.pages++
	b.add(page, r.chat, last, len(page) >= platform.RowsKept(params.PageSize))
	r.tellLong(ctx, b)
	return nil
}

// tellLong says once that a read back has come to no end for minutes.
func (r *reading) tellLong(ctx context.Context, b *collection) {
	if time.Since(b.began) < longReading { //mutate:long-chat
		return
	}
	r.cr.in.hearing.reading(b.began)
	if !b.told {
		b.told = true
		r.c.tellLong(ctx, b.began, slog.String("list", r.cr.in.name()), slog.Int64("peer", int64(r.chat.peer)), slog.Int("pages", b.pages))
	}
}

// add takes the next page back, sorted by id; last tells that nothing stands below it.
func (b *collection) add(page []platform.Message, ch *chat, last, cut bool) {
	if len(page) == 0 {
		b.descent.add(nil, 0, false, false)
		return
	}
	low := page[0].ID
	if b.cursor != 0 && !b.handing {
		for i := range page {
			if page[i].ID <= b.cursor {
				b.under = append(b.under, page[i].ID)
			}
		}
		if low <= b.cursor {
			b.until = b.reach()
		}
	}
	reached := b.reached(page, ch) || last && low <= b.cursor
	if b.lowWater != 0 {
		i, _ := slices.BinarySearchFunc(page, b.lowWater, func(m platform.Message, id int64) int { return cmp.Compare(int64(m.ID), id) })
		page = page[i:] // what stands below was handed over
	}
	b.descent.add(page, int64(low), cut, reached)
}

// reached reports whether a page is the last one of the part under way.
func (b *collection) reached(page []platform.Message, ch *chat) bool {
	low := page[0].ID
	switch {
	case b.lowWater != 0:
		return int64(low) <= b.lowWater
	case b.handing:
		return low <= b.until+1
	case b.want == 0:
		return low <= b.until //mutate:chat-whole
	}
	for _, m := range slices.Backward(page) {
		if b.found < b.want && b.unread(m, ch) {
			b.found, b.bottom = b.found+1, m.ID
		}
	}
	return b.found >= b.want
}

// unread reports whether m counts as a message of the backlog.
func (b *collection) unread(m platform.Message, ch *chat) bool { return m.ID <= b.top && !ch.wrote(m) }

// beginHanding prepares what has to be known before any of the messages is delivered.
func (b *collection) beginHanding(ch *chat) {
	if b.handing {
		return
	}
	b.handing = true
	if ch.again {
		ch.tail, ch.swept = tail{lowWater: int64(b.until)}, b.until
		b.below = b.until
	}
	if b.want == 0 || b.low == 0 {
		return
	}
	// Of a backlog it is the unread part. That stands below the watermark, and so below the cursor: without this it would count as read.
	lowest := platform.MessageID(b.low)
	if b.found >= b.want {
		lowest = b.bottom
	}
	b.below, b.until = lowest-1, lowest-1
	ch.below(lowest)
}

// handPart delivers the part that was read, the oldest message first. It reports whether that was all.
func (r *reading) handPart(ctx context.Context, b *collection) (whole bool, err error) {
	b.beginHanding(r.chat)
	if b.lost {
		return b.handed(), nil
	}
	messages := b.rows
	slices.SortFunc(messages, func(x, y platform.Message) int { return cmp.Compare(x.ID, y.ID) })
	messages = slices.CompactFunc(messages, func(x, y platform.Message) bool { return x.ID == y.ID })
	for len(messages) > 0 && messages[0].ID <= b.below {
		messages = messages[1:]
	}
	defer func(before bool) { r.parts = before }(r.parts)
	r.parts = b.again() || len(messages) > handedAtOnce
	for len(messages) > 0 {
		n := min(len(messages), handedAtOnce)
		if err := r.hand(ctx, messages[:n], b.from == 0 && n == len(messages)); err != nil {
			return false, err
		}
		messages = messages[n:]
	}
	return b.handed(), nil
}

// reach returns how far down the overlap of the first read of an incarnation goes.
func (b *collection) reach() platform.MessageID { return reach(slices.Clone(b.under), b.cursor, b.top) }
