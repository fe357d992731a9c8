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

// chatDescent reads the messages of a chat from the newest one down, until one at or below an id.
type chatDescent struct {
	descent[platform.Message]
	chat *chat

	until  platform.MessageID   // the end
	want   int                  // not 0: until there are so many of the peer below the watermark
	found  int                  // of them
	bottom platform.MessageID   // the lowest of them, once there are enough
	top    platform.MessageID   // the watermark
	cursor platform.MessageID   // not 0: it is the first read of an incarnation, and overlaps those of the last one
	under  []platform.MessageID // of such a read: messages at or below the cursor
}

// MessageBytes returns about how much memory a message takes until it is delivered.
func MessageBytes(m *platform.Message) int64 {
	// Twice: a slice that grows, or an event that is made of it.
	return int64(2*unsafe.Sizeof(*m)) + int64(len(m.Text)+len(m.MediaURL)+len(m.MediaType)+len(m.Time))
}

// newDescent begins one.
func (r *reading) newDescent() *chatDescent {
	d := &chatDescent{chat: r.chat, until: r.from, want: r.chat.backlog, top: r.cr.watermark}
	d.began, d.room, d.size, d.id = time.Now(), r.c.cfg.Room.NewShare(), MessageBytes, messageID
	if r.chat.again {
		// Set, it makes the read go below the cursor, by the overlap.
		d.cursor = r.chat.cursor
	}
	return d
}

// endDescent ends it, and gives back its room.
func (ch *chat) endDescent() {
	if ch.descent != nil {
		ch.descent.dropRows()
		ch.descent = nil
	}
}

// readNextPage reads the next page of the descent.
func (r *reading) readNextPage(ctx context.Context) error {
	d, server := r.chat.descent, &r.cr.server
	below, whole := d.next()
	params := platform.MessagesParams{Peer: r.chat.peer, Before: platform.MessageID(below), PageSize: r.c.cfg.pageSize(messagePage), Whole: whole}
	if below == 0 {
		params.PageSize = r.c.cfg.pageSize(notificationPage) // mostly enough, and a page is decoded whole
	}
	page, err := r.readPage(ctx, params)
	if err != nil {
		return err
	}
	last := !server.cut(len(page), params.PageSize) && server.provesLastPage(params.PageSize)
	d.pages++
	d.addPage(page, last, len(page) >= platform.RowsKept(params.PageSize))
	d.tellLong(ctx, r.c, slog.String("list", r.cr.in.name()), slog.Int64("peer", int64(r.chat.peer))) //mutate:long-chat
	return nil
}

// addPage takes the next page, sorted by id; last tells that nothing stands below it.
func (d *chatDescent) addPage(page []platform.Message, last, cut bool) {
	if len(page) == 0 {
		d.addRows(nil, 0, false, false)
		return
	}
	low := page[0].ID
	if d.cursor != 0 && !d.handing {
		for i := range page {
			if page[i].ID <= d.cursor {
				d.under = append(d.under, page[i].ID)
			}
		}
		if low <= d.cursor {
			d.until = reachOf(slices.Clone(d.under), d.cursor, d.top) // the overlap of the first read of an incarnation
		}
	}
	reached := d.isLastPage(page) || last && low <= d.cursor
	if d.lowWater != 0 {
		i, _ := slices.BinarySearchFunc(page, d.lowWater, func(m platform.Message, id int64) int { return cmp.Compare(int64(m.ID), id) })
		page = page[i:] // what stands below was handed over
	}
	d.addRows(page, int64(low), cut, reached)
}

// isLastPage reports whether a page is the last one of the part under way.
func (d *chatDescent) isLastPage(page []platform.Message) bool {
	low := page[0].ID
	switch {
	case d.lowWater != 0:
		return int64(low) <= d.lowWater
	case d.handing:
		return low <= d.until+1
	case d.want == 0:
		return low <= d.until //mutate:chat-whole
	}
	for _, m := range slices.Backward(page) {
		if d.found < d.want && m.ID <= d.top && !d.chat.isOwn(m) {
			d.found, d.bottom = d.found+1, m.ID
		}
	}
	return d.found >= d.want
}

// beginHanding prepares what has to be known before any of the messages is delivered.
func (d *chatDescent) beginHanding() {
	ch := d.chat
	if d.handing {
		return
	}
	d.handing = true
	if ch.again {
		ch.tail, ch.swept = tail{lowWater: int64(d.until)}, d.until
		d.below = int64(d.until)
	}
	if d.want == 0 || d.low == 0 {
		return
	}
	// Of a backlog it is the unread part. That stands below the watermark, and so below the cursor: without this it would count as read.
	lowest := platform.MessageID(d.low)
	if d.found >= d.want {
		lowest = d.bottom
	}
	d.below, d.until = int64(lowest-1), lowest-1
	ch.cursor = min(ch.cursor, lowest-1)
	// The tail as well: what it knows is left out when messages are handed over, and these are to be delivered.
	ch.tail = tail{lowWater: int64(ch.cursor)}
}
