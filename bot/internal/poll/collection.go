package poll

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/nectar-bot/nectar/platform"
)

// collection is messages that are read from the newest one back, until one at or below an id.
type collection struct {
	descent[platform.Message]

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

// beginCollection begins to read back.
func (r *reading) beginCollection() *collection {
	b := &collection{until: r.from, want: r.chat.backlog, top: r.cr.watermark}
	b.began, b.room, b.size, b.id = time.Now(), r.c.cfg.Room.NewShare(), MessageBytes, messageID
	if r.chat.again {
		// Set, it makes the read go below the cursor, by the overlap.
		b.cursor = r.chat.cursor
	}
	return b
}

// endCollection ends a read back.
func (ch *chat) endCollection() {
	if ch.back != nil {
		ch.back.dropRows()
		ch.back = nil
	}
}

// pageBack reads the next page back.
func (r *reading) pageBack(ctx context.Context, b *collection) error {
	below, whole := b.next()
	params := platform.MessagesParams{Peer: r.chat.peer, Before: platform.MessageID(below), PageSize: r.c.cfg.pageSize(messagePage), Whole: whole}
	if below == 0 {
		params.PageSize = r.c.cfg.pageSize(notificationPage) // mostly enough, and a page is decoded whole
	}
	page, err := r.readPage(ctx, params)
	if err != nil {
		return err
	}
	last := !r.cr.server.cut(len(page), params.PageSize) && r.cr.server.provesLastPage(params.PageSize)
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
	r.cr.in.hearing.noteReading(b.began)
	if !b.told {
		b.told = true
		r.c.tellLong(ctx, b.began, slog.String("list", r.cr.in.name()), slog.Int64("peer", int64(r.chat.peer)), slog.Int("pages", b.pages))
	}
}

// add takes the next page back, sorted by id; last tells that nothing stands below it.
func (c *collection) add(page []platform.Message, ch *chat, last, cut bool) {
	if len(page) == 0 {
		c.descent.add(nil, 0, false, false)
		return
	}
	low := page[0].ID
	if c.cursor != 0 && !c.handing {
		for i := range page {
			if page[i].ID <= c.cursor {
				c.under = append(c.under, page[i].ID)
			}
		}
		if low <= c.cursor {
			c.until = reachOf(slices.Clone(c.under), c.cursor, c.top) // the overlap of the first read of an incarnation
		}
	}
	reached := c.isLastPage(page, ch) || last && low <= c.cursor
	if c.lowWater != 0 {
		i, _ := slices.BinarySearchFunc(page, c.lowWater, func(m platform.Message, id int64) int { return cmp.Compare(int64(m.ID), id) })
		page = page[i:] // what stands below was handed over
	}
	c.descent.add(page, int64(low), cut, reached)
}

// isLastPage reports whether a page is the last one of the part under way.
func (c *collection) isLastPage(page []platform.Message, ch *chat) bool {
	low := page[0].ID
	switch {
	case c.lowWater != 0:
		return int64(low) <= c.lowWater
	case c.handing:
		return low <= c.until+1
	case c.want == 0:
		return low <= c.until //mutate:chat-whole
	}
	for _, m := range slices.Backward(page) {
		if c.found < c.want && c.isBacklog(m, ch) {
			c.found, c.bottom = c.found+1, m.ID
		}
	}
	return c.found >= c.want
}

// isBacklog reports whether m counts as a message of the backlog.
func (c *collection) isBacklog(m platform.Message, ch *chat) bool {
	return m.ID <= c.top && !ch.isOwn(m)
}

// beginHanding prepares what has to be known before any of the messages is delivered.
func (c *collection) beginHanding(ch *chat) {
	if c.handing {
		return
	}
	c.handing = true
	if ch.again {
		ch.tail, ch.swept = tail{lowWater: int64(c.until)}, c.until
		c.below = int64(c.until)
	}
	if c.want == 0 || c.low == 0 {
		return
	}
	// Of a backlog it is the unread part. That stands below the watermark, and so below the cursor: without this it would count as read.
	lowest := platform.MessageID(c.low)
	if c.found >= c.want {
		lowest = c.bottom
	}
	c.below, c.until = int64(lowest-1), lowest-1
	ch.lowerCursor(lowest)
}

// RoomSize is how many bytes the rows may take that all pollers of a process have read and not handed over yet.
const RoomSize = 64 << 20

// roomShare is the share that one reading may have: the others go on beside one that finds no end.
const roomShare = 4

// Room bounds the memory of rows that were read and not handed over yet. All pollers of a process share one.
type Room struct {
	size int64
	used atomic.Int64
}

// NewRoom returns a room of so many bytes.
func NewRoom(size int64) *Room { return &Room{size: size} }

// Share is what one reading has of a room.
type Share struct {
	room *Room
	held int64
}

// NewShare returns a share of the room, of which nothing is taken yet. The zero Share has no bound.
func (r *Room) NewShare() Share { return Share{room: r} }

// TakeRoom takes so many bytes more, and reports whether there were as many.
func (s *Share) TakeRoom(bytes int64) bool {
	if s.room != nil && (s.held+bytes > s.room.size/roomShare || !s.room.takeRoom(bytes)) {
		return false
	}
	s.held += bytes
	return true
}

// GiveBack gives back all that was taken.
func (s *Share) GiveBack() {
	if s.room != nil {
		s.room.used.Add(-s.held)
	}
	s.held = 0
}

func (r *Room) takeRoom(bytes int64) bool {
	if r.used.Add(bytes) > r.size { //mutate:room
		r.used.Add(-bytes)
		return false
	}
	return true
}
