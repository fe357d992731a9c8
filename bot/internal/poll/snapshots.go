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
	in *inbox

	mu     sync.Mutex // guards the fields below, which belong to the poll, for those who ask what a row shows: only the poll writes, and reads without it
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
	top, stored platform.MessageID
	lowered     bool // the stored one was none that any platform has got to
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

func newSnapshots(in *inbox) *snapshots {
	return &snapshots{in: in, chats: map[platform.UserID]snapshot{}}
}

func (s *snapshots) id() event.Source { return event.Snapshots }

func (s *snapshots) prepare(l *looker) { l.own, l.texts = l.sends.recentSends(), true }

func (s *snapshots) waitingPeers() []platform.UserID { return nil }

func (s *snapshots) abandonReads() {}

func (s *snapshots) readUntil(t time.Time) time.Time { return t }

// resumeOwn takes up what is stored of the account.
func (s *snapshots) resumeOwn(own record.Cursor) {
	if s.lowered = leap.IsLeap(0, own.ID); s.lowered {
		own.ID = 0
	}
	//mutate:snapshots-begin
	s.top, s.stored, s.counts = platform.MessageID(own.ID), platform.MessageID(own.ID), own.Mark != 0
	s.in.level.setTop(s.stored)
}

func (s *snapshots) ownCursor(polledAt time.Time) record.Cursor {
	c := record.Cursor{Source: event.Snapshots, ID: int64(s.stored), PolledAt: polledAt, Back: s.lowered}
	if s.counts {
		c.Mark = 1
	}
	return c
}

func (s *snapshots) noteKept() { s.stored, s.lowered = s.top, false }

// set notes what a chat shows.
func (s *snapshots) set(peer platform.UserID, now snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[peer] = now
}

// endList ends a list that was gone through. What a cut hides of its own messages, a later list still has to show.
func (s *snapshots) endList(c *cycle, seen *listing) {
	s.ageOwn(c, seen)
	shown := seen.shownPeers()
	c.sends.forgetShown(seen.began, shown)
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
		if seen.top > 0 && leap.IsLeap(int64(seen.top), int64(s.top)) {
			s.top, s.lowered = seen.top, true
		}
		s.top = max(s.top, seen.top)
	}
	s.at, s.shown = seen.began, shown
}

// shownBefore returns when the last list began that would have shown a chat. s.mu is held, or it is the poll that asks.
func (s *snapshots) shownBefore(peer platform.UserID) time.Time {
	if s.shown != nil {
		if _, shown := s.shown[peer]; !shown {
			return s.whole
		}
	}
	return s.at
}

// deliverNews makes events of the rows that changed.
func (s *snapshots) deliverNews(ctx context.Context, c *cycle, seen *listing) error {
	if s.isBlank(seen) { //mutate:blank
		return nil
	}
	// Or they would pile up.
	c.touched.takeTouched() // there is nothing else to read
	for i := range seen.glances {
		if !s.counts && seen.glances[i].unread > 0 {
			s.counts, s.in.keptAt = true, time.Time{} // that is stored at once
		}
	}
	if err := s.restore(ctx, c); err != nil {
		return err
	}
	if err := s.goThrough(ctx, c, seen); err != nil {
		return err
	}
	s.in.heard.noteList(seen.began, nil, nil)
	return s.in.endPoll(ctx, c, seen)
}

// goThrough finds the rows of a list that changed and makes events of them.
func (s *snapshots) goThrough(ctx context.Context, c *cycle, seen *listing) error {
	switch {
	case s.in.started:
	case c.cfg.Backlog == event.Skip:
		return s.beginFirst(ctx, c, seen)
	default: // what is there is news
		if err := s.in.deliverOwn(ctx, c, seen.began); err != nil {
			return err
		}
		s.in.started = true
	}
	if wasSet(s.at, seen.began) { // no age says anything about those before
		for i := range s.in.rows {
			s.in.rows[i].born = 0
		}
	}
	first := !s.in.listed // every row is new, and compared with what is stored
	if first {
		s.in.keptAt = time.Time{}
	}
	moved, err := s.movedRows(ctx, c, seen)
	if err != nil {
		return err
	}
	for _, i := range moved {
		if err := s.look(ctx, c, seen, i, first); err != nil {
			return err
		}
	}
	s.in.listed = true
	s.endList(c, seen)
	return s.buryUnlisted(ctx, c) //mutate:bury-unlisted
}

// beginFirst takes the list of a first start as what was there before. Rows with unread messages are marked in the store, so
// that the next start can tell them from those that came meanwhile.
func (s *snapshots) beginFirst(ctx context.Context, c *cycle, seen *listing) error {
	for i := range seen.glances {
		if err := s.takeAsKnown(ctx, c, seen, i); err != nil {
			return err
		}
	}
	s.in.adoptList(seen)
	s.endList(c, seen)
	return s.in.deliverStart(ctx, c)
}

// takeAsKnown takes a row as something that was there before, and makes no event of it. It is marked in the store if it
// has unread messages.
func (s *snapshots) takeAsKnown(ctx context.Context, c *cycle, seen *listing, i int) error {
	peer, shown := seen.glances[i].peer, seen.briefOf(i)
	if shown == nil {
		return nil // it is looked at when it moves
	}
	unread := seen.glances[i].unread
	now := snapshot{mark: snapMark(shown.came, unread, 0), text: keptText(shown.last)}
	if unread > 0 {
		if err := c.deliverBatch(ctx, Batch{Cursor: snapCursor(peer, now, seen.began)}); err != nil {
			return err
		}
	}
	s.set(peer, now)
	return nil
}

// movedRows returns the rows that changed, after what was made of their chats before has been loaded. They
// stay new until they are delivered.
func (s *snapshots) movedRows(ctx context.Context, c *cycle, seen *listing) (moved []int, err error) {
	before, came := s.in.rows, 0
	var peers []platform.UserID
	s.in.eachHint(c, seen, s.in.alignRows(seen), seeingUnknown, func(i int, why reason) {
		r := &s.in.rows[i]
		// Until it is delivered: what made it move is told by one list alone, and what fails to be stored would not be seen again.
		r.state |= rowNew
		switch why {
		case appeared, surfaced:
			came++
		case younger:
			r.state |= rowYounger //mutate:age-told
		default:
		}
		moved = append(moved, i)
		if _, loaded := s.chats[r.peer]; !loaded {
			peers = append(peers, r.peer)
		}
	})
	s.noteReturned(seen)
	// Fewer rows than there were and came: some chat is gone. Behind a cut it may only be out of sight.
	if len(before)+came != len(s.in.rows) && seen.cut == nil {
		if err := s.noteVanished(ctx, c, before, seen.began); err != nil {
			return nil, err
		}
	}
	return moved, s.load(ctx, c, peers)
}

// ownSlack is how much later than we know of a message of ours the platform may say that it was sent.
const ownSlack = 2 * time.Second

// ageOwn takes note of rows that show what we sent. One in the very words that the row showed before changes
// nothing in it but the age, and that may come out much later, when nobody knows of the message any more.
func (s *snapshots) ageOwn(c *cycle, seen *listing) {
	recent := c.sends.recentSends()
	if len(recent) == 0 {
		return
	}
	find := finder{rows: s.in.rows}
	for peer, list := range recent {
		i := int(find.rowOf(peer))
		if i < 0 || i >= seen.len() || s.in.rows[i].born == 0 {
			continue
		}
		shown := seen.briefOf(i)
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
			s.in.rows[i].born = max(s.in.rows[i].born, at.Add(ownSlack).UnixMilli())
		}
	}
}

// look makes an event of a row that changed, unless it shows our own words. The row is remembered
// only when it was delivered. In the first list after a start there is nothing but the store to
// compare it with.
func (s *snapshots) look(ctx context.Context, c *cycle, seen *listing, i int, first bool) error {
	shown, unread := seen.briefOf(i), seen.glances[i].unread
	if shown == nil {
		return nil // the next list looks at it
	}
	peer := s.in.rows[i].peer
	old := s.chats[peer]
	risen := s.in.rows[i].state&rowSurfaced != 0
	// Nothing is known of the chat, and it was silent while nobody looked: it is taken down as it is, or each first sight would be news.
	if old.mark == 0 && (risen || first && s.wasThere(seen, i)) {
		s.in.rows[i].takeRow(seen, i)
		return s.takeAsKnown(ctx, c, seen, i)
	}
	first = first || risen
	next := snapshot{count: old.count, mark: snapMark(shown.came, unread, old.count), text: keptText(shown.last), whose: old.whose}
	m := s.compare(seen, i, old, next, first)
	next.past = old.pastOf(next, seen.began)
	w := c.sends.whoseWords(peer, shown.last, s.shownSince(peer, old), m.rose)
	if first || !m.isSilent() {
		next.whose = w
	}
	id := event.ID{Source: event.Snapshots, Number: snapNumber(peer, shown.came, old.count)}
	what, err := s.meaningOf(ctx, c, &m, meant{
		old: &old, whose: w, unread: unread, id: id, lagged: old.isLagged(seen, i, next), anew: old.isAnew(seen, i),
	})
	if err != nil {
		return err
	}
	next.deriveFrom(what, &old, w)
	var b Batch
	if what == news {
		b.Events = []event.Event{{
			Account: c.cfg.Account,
			ID:      id,
			Kind:    event.KindMessage,
			Peer:    peer, Name: shown.name, User: shown.user,
			Text:   shown.last,
			SeenAt: time.Now(), NotBefore: s.in.polledAt, SaidAt: seen.glances[i].earliestTime(seen.began),
		}}
	}
	next.mark = snapMark(shown.came, unread, next.count)
	s.set(peer, next) // before there is anything to answer
	if next.count != old.count || next.mark != old.mark {
		b.Cursor = snapCursor(peer, next, seen.began)
		if err := c.deliverBatch(ctx, b); err != nil {
			// The row stays new, and the next list makes the same event of it, under the same number.
			s.set(peer, old)
			return err
		}
	}
	s.in.rows[i].takeRow(seen, i)
	return nil
}

// wasThere reports whether a row of the first list of an incarnation surely says nothing that was said since the last one: a cut
// may have hidden it.
func (s *snapshots) wasThere(seen *listing, i int) bool {
	age, _, ok := seen.glances[i].shownAge()
	return ok && age > s.in.unseenSince(seen)+proofSlack
}

// wasSet reports whether the clock was set between two times of an incarnation.
func wasSet(before, now time.Time) bool {
	shown := now.Round(0).Sub(before.Round(0)) // without what counts on, also where the clock was set
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
	h := snapHash(uint64(peer), text) + mixBits(uint64(count)+1)
	return int64(max(1, mixBits(h)&math.MaxInt64))
}

func snapHash(n uint64, text string) uint64 {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], n)
	h := fnv.New64a()
	_, _ = h.Write(head[:])
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
