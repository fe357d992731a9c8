package poll

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// snapshots makes events of the chat list itself, where get_messages does not exist. Of several
// messages between two polls only the last one is visible, and the owner's own words from the phone
// are taken for the peer's where the platform does not count unread messages.
type snapshots struct {
	mu     sync.Mutex // for those who ask what a row shows; only the poll writes
	chats  map[platform.UserID]snapshot
	at     time.Time // when the last list began that was gone through; zero before the first one
	counts bool      // the platform counts unread messages

	shown map[platform.UserID]struct{} // not nil: that list was cut, and shows these alone
	whole time.Time                    // when the last list began that was not cut
	first time.Time                    // when the first one of this incarnation did
	last  time.Time                    // if the last two lists were not cut, when the one before the last began

	lost map[platform.UserID]time.Time // the chats that the last whole list did not show, and when the last one began that did
	back map[platform.UserID]time.Time // those of them that this list shows

	restored bool // what earlier incarnations sent is known
	buried   bool // it is known which chats that earlier incarnations knew are gone

	// The highest id of the account's own messages that the last list had to show, and the one that
	// is stored, which is that of an earlier list.
	top, kept platform.MessageID
	lowered   bool // the stored one was none that any platform has got to
}

// snapshot is what a chat showed when it was looked at last.
type snapshot struct {
	count int64  // events made of it so far
	mark  uint64 // of the text and both counts; 0 where nothing is known
	text  string // what is kept of the text
	whose whose

	loaded bool  // it is what an earlier incarnation stored
	at     int64 // when the list began that showed it to that incarnation, in Unix milliseconds; 0: none did
	past   *past // nil: the chat is there, and its text is the only one that lists of this incarnation have shown
}

func newSnapshots() *snapshots { return &snapshots{chats: map[platform.UserID]snapshot{}} }

// resume takes up what is stored of the account.
func (s *snapshots) resume(own record.Cursor) {
	if s.lowered = leap.Over(0, own.ID); s.lowered {
		own.ID = 0
	}
	//mutate:snapshots-begin
	s.top, s.kept, s.counts = platform.MessageID(own.ID), platform.MessageID(own.ID), own.Mark != 0
}

// own returns what is to be stored of the account.
func (s *snapshots) own(polledAt time.Time) record.Cursor {
	c := record.Cursor{Source: event.Snapshots, ID: int64(s.kept), PolledAt: polledAt, Back: s.lowered}
	if s.counts {
		c.Mark = 1
	}
	return c
}

// set notes what a chat shows.
func (s *snapshots) set(peer platform.UserID, now snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[peer] = now
}

// end notes that a list was gone through that shows these chats, nil for all there are, and how far its own messages
// reached: what a cut hides, a later list still has to show.
func (s *snapshots) end(seen *listing, shown map[platform.UserID]struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Time{}
	if shown == nil {
		if s.at.Equal(s.whole) {
			s.last = s.whole
		}
		if s.whole = seen.began; s.first.IsZero() {
			s.first = s.whole
		}
		if seen.top > 0 && leap.Over(int64(seen.top), int64(s.top)) {
			s.top, s.lowered = seen.top, true
		}
		s.top = max(s.top, seen.top)
	}
	s.at, s.shown = seen.began, shown
}

// before returns when the last list began that would have shown a chat. s.mu is held, or it is the poll that asks.
func (s *snapshots) before(peer platform.UserID) time.Time {
	if s.shown != nil {
		if _, shown := s.shown[peer]; !shown {
			return s.whole
		}
	}
	return s.at
}

// reconsider makes the rows of the chats that wait to be read new ones: what moved them has not been
// delivered, and now comes from the list itself.
func (in *inbox) reconsider() {
	waiting := map[platform.UserID]bool{}
	for _, ch := range in.queue {
		waiting[ch.peer] = true
	}
	for i := range in.rows {
		if r := &in.rows[i]; waiting[r.peer] {
			*r = row{peer: r.peer, state: rowNew}
		}
	}
}

// snap finds the rows that changed and makes events of them.
func (in *inbox) snap(ctx context.Context, c *cycle, seen *listing) error {
	s := in.snapshots
	if in.chats != nil || in.behind != nil { // messages could be read until now
		in.heard.forget()
	}
	in.queue, in.chats, in.nextSweep, in.behind = nil, nil, time.Time{}, nil
	c.touched.take() // there is nothing else to read
	for i := range seen.glances {
		if !s.counts && seen.glances[i].unread > 0 {
			s.counts, in.keptAt = true, time.Time{} // that is stored at once
		}
	}
	if err := s.restore(ctx, c); err != nil {
		return err
	}
	if !in.started {
		return in.snapFirst(ctx, c, seen)
	}
	if wasSet(s.at, seen.began) { // no age says anything about those before
		for i := range in.rows {
			in.rows[i].born = 0
		}
	}
	first := !in.listed // every row is new, and compared with what is stored
	if first {
		in.keptAt = time.Time{}
	}
	moved, err := in.snapMoved(ctx, c, seen)
	if err != nil {
		return err
	}
	for _, i := range moved {
		if err := in.snapRow(ctx, c, seen, i, first); err != nil {
			return err
		}
	}
	in.listed = true
	in.snapped(c, seen)
	return in.buryUnlisted(ctx, c) //mutate:bury-unlisted
}

// snapKnown takes a row as something that was there before, and makes no event of it. It is marked in the store if it
// has unread messages.
func (in *inbox) snapKnown(ctx context.Context, c *cycle, seen *listing, i int) error {
	peer, shown := seen.glances[i].peer, seen.brief(i)
	if shown == nil {
		return nil // it is looked at when it moves
	}
	unread := seen.glances[i].unread
	now := snapshot{mark: snapMark(shown.last, unread, 0), text: keptText(shown.last)}
	if unread > 0 {
		if err := c.deliver(ctx, Batch{Cursor: snapCursor(peer, now, seen.began)}); err != nil {
			return err
		}
	}
	in.snapshots.set(peer, now)
	return nil
}

// snapped ends a list that was gone through.
func (in *inbox) snapped(c *cycle, seen *listing) {
	in.ageOwn(c, seen)
	shown := seen.peers()
	c.sends.shown(seen.began, shown)
	in.snapshots.end(seen, shown)
}

// snapMoved returns the rows that changed, after what was made of their chats before has been loaded. They
// stay new until they are delivered.
func (in *inbox) snapMoved(ctx context.Context, c *cycle, seen *listing) (moved []int, err error) {
	before, came := in.rows, 0
	var peers []platform.UserID
	_, _ = in.hints(c, seen, func(i int, why reason) {
		r := &in.rows[i]
		r.state |= rowNew
		switch why {
		case appeared, surfaced:
			came++
		case younger:
			r.state |= rowYounger //mutate:age-told
		default:
		}
		moved = append(moved, i)
		if _, loaded := in.snapshots.chats[r.peer]; !loaded {
			peers = append(peers, r.peer)
		}
	})
	in.returned(seen)
	if len(before)+came != len(in.rows) && seen.cut == nil {
		if err := in.vanished(ctx, c, before, seen.began); err != nil {
			return nil, err
		}
	}
	return moved, in.snapshots.load(ctx, c, peers)
}

// ownSlack is how much later than we know of a message of ours the platform may say that it was sent.
const ownSlack = 2 * time.Second

// ageOwn takes note of rows that show what we sent. One in the very words that the row showed before changes
// nothing in it but the age, and that may come out much later, when nobody knows of the message any more.
func (in *inbox) ageOwn(c *cycle, seen *listing) {
	recent := c.sends.recent()
	if len(recent) == 0 {
		return
	}
	find := finder{rows: in.rows}
	for peer, list := range recent {
		i := int(find.peer(peer))
		if i < 0 || i >= seen.len() || in.rows[i].born == 0 {
			continue
		}
		shown := seen.brief(i)
		if shown == nil {
			continue // it is told of when the row moves
		}
		for _, sent := range list {
			if !showsText(shown.last, sent.text) {
				continue
			}
			at := sent.answered
			if at.IsZero() {
				at = seen.ended
			}
			in.rows[i].born = max(in.rows[i].born, at.Add(ownSlack).UnixMilli())
		}
	}
}

// snapFirst takes the list of the first start. Rows with unread messages are marked in the store, so
// that the next start can tell them from those that came meanwhile.
func (in *inbox) snapFirst(ctx context.Context, c *cycle, seen *listing) error {
	if c.cfg.Backlog == event.Skip {
		for i := range seen.glances {
			if err := in.snapKnown(ctx, c, seen, i); err != nil {
				return err
			}
		}
		in.adopt(seen)
		in.snapped(c, seen)
		return in.begin(ctx, c)
	}
	if err := in.deliverOwn(ctx, c, seen.began); err != nil {
		return err
	}
	in.started = true
	return in.snap(ctx, c, seen)
}

// snapRow makes an event of a row that changed, unless it shows our own words. The row is remembered
// only when it was delivered. In the first list after a start there is nothing but the store to
// compare it with.
func (in *inbox) snapRow(ctx context.Context, c *cycle, seen *listing, i int, first bool) error {
	shown, unread := seen.brief(i), seen.glances[i].unread
	if shown == nil {
		return nil // the next list looks at it
	}
	peer := in.rows[i].peer
	old := in.snapshots.chats[peer]
	risen := in.rows[i].state&rowSurfaced != 0
	if old.mark == 0 && (risen || first && in.wasThere(seen, i)) {
		in.rows[i].take(seen, i)
		return in.snapKnown(ctx, c, seen, i)
	}
	first = first || risen
	next := snapshot{count: old.count, mark: snapMark(shown.last, unread, old.count), text: keptText(shown.last), whose: old.whose}
	m := in.compare(seen, i, old, next, first)
	next.past = old.pastOf(next, seen.began)
	w := c.sends.whose(peer, shown.last, in.snapshots.since(peer, old), m.rose)
	if first || !m.silent() {
		next.whose = w
	}
	id := event.ID{Source: event.Snapshots, Number: snapNumber(peer, shown.last, old.count)}
	what, err := in.means(ctx, c, &m, meant{
		old: &old, whose: w, unread: unread, id: id, lagged: old.lagged(seen, i, next), anew: old.anew(seen, i),
	})
	if err != nil {
		return err
	}
	next.follows(what, &old, w)
	var b Batch
	if what == news {
		b.Events = []event.Event{{
			Account: c.cfg.Account,
			ID:      id,
			Kind:    event.KindMessage,
			Peer:    peer, Name: shown.name, User: shown.user,
			Text:   shown.last,
			SeenAt: time.Now(), NotBefore: in.polledAt,
		}}
	}
	next.mark = snapMark(shown.last, unread, next.count)
	in.snapshots.set(peer, next) // before there is anything to answer
	if next.count != old.count || next.mark != old.mark {
		b.Cursor = snapCursor(peer, next, seen.began)
		if err := c.deliver(ctx, b); err != nil {
			in.snapshots.set(peer, old)
			return err
		}
	}
	in.rows[i].take(seen, i)
	return nil
}

// wasThere reports whether a row of the first list of an incarnation surely says nothing that was said since the last one: a cut
// may have hidden it.
func (in *inbox) wasThere(seen *listing, i int) bool {
	age, _, ok := seen.glances[i].age()
	return ok && age > in.gap(seen)+proofSlack
}

// wasSet reports whether the clock was set between two times of an incarnation.
func wasSet(before, now time.Time) bool {
	shown := now.Round(0).Sub(before.Round(0)) // without what counts on, whatever the clock shows
	return !before.IsZero() && (now.Sub(before)-shown).Abs() > ownSlack
}

func snapCursor(peer platform.UserID, now snapshot, at time.Time) record.Cursor {
	return record.Cursor{Source: event.Snapshots, Peer: peer, ID: now.count, Mark: now.mark, PolledAt: at}
}

// snapMark stands for what a row shows: a digest of the text in 31 bits, how many events were made of the
// chat so far, and the unread count, in 16 bits each.
func snapMark(shown string, unread uint16, count int64) uint64 {
	return max(1, snapHash(0, shown)>>33)<<32 | uint64(uint16(count))<<16 | uint64(unread)
}

func markedText(mark uint64) uint64 { return mark >> 32 }

func markedUnread(mark uint64) uint16 { return uint16(mark & math.MaxUint16) }

// snapNumber returns the number of a chat's event: the same after a crash, another for the same words
// said again.
func snapNumber(peer platform.UserID, text string, count int64) int64 {
	h := snapHash(uint64(peer), text) + mix(uint64(count)+1)
	return int64(max(1, mix(h)&math.MaxInt64))
}

func snapHash(n uint64, text string) uint64 {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], n)
	h := fnv.New64a()
	_, _ = h.Write(head[:])
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
