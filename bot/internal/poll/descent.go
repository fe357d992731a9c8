package poll

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// A list is read from its newest row down to a cursor, and the cursor moves upward: what was read is held until the reading
// comes to its end. A platform that shows ever older rows must not take all memory so. Where there is no room for more
// rows, a descent keeps nothing but where each page begins. Once it has come to its end it reads the pages again, the lowest first, and
// what each shows is handed over with a cursor of its own, from which another incarnation goes on.

// marksKept bounds how many pages a descent remembers. Of more, it forgets every second one, and reads two pages in its place.
const marksKept = 4096

// handedAtOnce is how many rows are handed over together: the sink takes no more when it is full.
const handedAtOnce = 256

// descent is a reading that goes down: of notifications, or of the messages of a chat.
type descent[T any] struct {
	began time.Time
	told  bool // people have heard that it goes on for long
	pages int

	room Share
	size func(*T) int64 // of a row, in bytes
	id   func(T) int64
	rows []T // of the part under way

	handing bool  // some of it is handed over already
	split   bool  // the part under way is handed over in several pieces
	below   int64 // up to here, rows are no part of it

	from   int64   // the part under way begins below this id; 0: with the newest row
	low    int64   // the next page begins below this id; 0: with the newest row
	before int64   // where the page before began
	cut    bool    // of which only a part was kept
	whole  bool    // so all of it is read now
	stuck  int     // pages in a row without an older row
	starts []int64 // where the pages of this part begin
	lost   bool    // rows of this part were not kept
	must   bool    // those of its first page are kept, also where there is no room: that is all of it

	marks    []int64 // where the parts begin that are read again, the highest first
	lowWater int64   // not 0: it reads again, and what lies below this id was handed over
	ended    bool    // the part under way has come to its end
}

// read reads pages and hands over what they show, part by part, as long as there are pages left. It reports whether it has come to its end. What was
// read is kept when it fails, or stops before. begin is called before any rows of a part are handed over.
func (d *descent[T]) read(ctx context.Context, left *int, page func(context.Context) error, begin func(), hand func(ctx context.Context, rows []T, last bool) error) (over bool, err error) {
	for !over {
		for ; !d.ended; *left-- {
			if *left <= 0 {
				return false, nil
			}
			if err := page(ctx); err != nil {
				return false, err
			}
		}
		begin()
		if err := d.handPart(ctx, hand); err != nil {
			return false, err
		}
		over = d.endPart()
	}
	return true, nil
}

// handPart hands over the rows of the part that was read, the lowest first, some at a time; last tells that the descent has no others.
func (d *descent[T]) handPart(ctx context.Context, hand func(ctx context.Context, rows []T, last bool) error) error {
	if d.lost {
		return nil
	}
	slices.SortStableFunc(d.rows, func(x, y T) int { return cmp.Compare(d.id(x), d.id(y)) })
	d.rows = slices.CompactFunc(d.rows, func(x, y T) bool { return d.id(x) == d.id(y) })
	d.rows = slices.DeleteFunc(d.rows, func(x T) bool { return d.id(x) <= d.below })
	for last := false; !last; {
		n := min(len(d.rows), handedAtOnce)
		last = n == len(d.rows)
		d.split = d.split || !last
		if n > 0 || d.from == 0 {
			if err := hand(ctx, d.rows[:n], last && d.from == 0); err != nil {
				return err
			}
		}
		d.rows = d.rows[n:]
	}
	return nil
}

// longReading is the time after which people of ours hear of a reading that finds no end.
const longReading = 2 * time.Minute

// tellLong says once that it has come to no end for minutes: nothing new is heard there meanwhile.
func (d *descent[T]) tellLong(ctx context.Context, c *cycle, what ...slog.Attr) {
	if time.Since(d.began) < longReading {
		return
	}
	c.hearing.noteReading(d.began)
	if d.told {
		return
	}
	d.told = true
	attrs := append([]slog.Attr{slog.String("account", string(c.cfg.Account)), slog.Duration("after", time.Since(d.began).Round(time.Second))}, what...)
	c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a reading has come to no end: the platform shows ever older rows that nobody knows, and nothing new is heard there meanwhile",
		append(attrs, slog.Int("pages", d.pages))...)
}

// idsOf returns the ids of rows.
func idsOf[T any](rows []T, id func(T) int64) []int64 {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = id(rows[i])
	}
	return ids
}

func messageID(m platform.Message) int64 { return int64(m.ID) }

func notificationID(n platform.Notification) int64 { return int64(n.ID) }

// next returns where the next page begins, and whether all of its rows are wanted.
func (d *descent[T]) next() (below int64, whole bool) {
	if d.whole {
		return d.before, true
	}
	return d.low, false
}

// addRows takes the rows of the next page that are to be handed over. Its lowest row has the id low, which is 0 for a page without rows; cut
// tells that not all of its rows were kept. The part ends with this page if that reached the end.
func (d *descent[T]) addRows(rows []T, low int64, cut, reached bool) {
	below, whole := d.next()
	older := low != 0 && (d.low == 0 || low < d.low)
	d.whole = false
	switch {
	case older || reached:
		if !whole {
			d.starts = append(d.starts, below)
		}
		d.ended = reached
		d.keepRows(rows, below)
		if older {
			d.low, d.stuck = low, 0
		}
		d.before, d.cut = below, cut && !whole
	// Nothing follows below a page of which only a part was kept: the rows that are missing stand on that page, and on no other.
	case d.cut: //mutate:whole-page
		d.whole, d.cut = true, false
	case low == 0:
		d.ended = true
	default:
		d.stuck++
		d.ended = d.stuck >= stuckPages
	}
	if len(d.starts) > marksKept && d.lost {
		d.starts = thin(d.starts)
	}
}

// keepRows holds the rows of a page that begins below an id, as long as there is room.
func (d *descent[T]) keepRows(rows []T, below int64) {
	if below == d.from { // it is all of the part so far
		d.dropRows()
		d.lost = false
	}
	if d.lost {
		return
	}
	var size int64
	for i := range rows {
		size += d.size(&rows[i])
	}
	switch {
	case d.room.TakeRoom(size):
	case below == d.from && (d.must || d.ended): // it is handed over at once
	default:
		d.dropRows()
		d.lost = true
		return
	}
	d.rows = append(d.rows, rows...)
}

// dropRows forgets the rows that are held.
func (d *descent[T]) dropRows() {
	d.room.GiveBack()
	d.rows = nil
}

// thin forgets every second mark, but not the first one.
func thin(marks []int64) []int64 {
	kept := make([]int64, 0, marksKept)
	for i := 0; i < len(marks); i += 2 {
		kept = append(kept, marks[i])
	}
	return kept
}

// endPart ends the part whose rows were handed over, or are lost, and begins the next one. It reports whether that was all.
func (d *descent[T]) endPart() (all bool) {
	single := false
	if d.lost {
		single = len(d.starts) == 1
		if d.marks = append(d.marks, d.starts...); len(d.marks) > 2*marksKept {
			d.marks = thin(d.marks)
		}
	} else if d.lowWater = d.from; d.from == 0 {
		all = true
	}
	d.dropRows()
	d.starts, d.lost, d.must, d.ended = nil, false, single, false
	d.cut, d.whole, d.stuck, d.split = false, false, 0, false
	if n := len(d.marks); !all && n > 0 {
		d.from = d.marks[n-1]
		d.low, d.marks = d.from, d.marks[:n-1]
	}
	return all
}

// readsTwice reports whether it reads a second time.
func (d *descent[T]) readsTwice() bool { return d.lowWater != 0 || len(d.marks) > 0 }

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
	if r := s.room; r != nil {
		if s.held+bytes > r.size/roomShare {
			return false
		}
		if r.used.Add(bytes) > r.size { //mutate:room
			r.used.Add(-bytes)
			return false
		}
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
