package poll

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// A chat that two whole lists in a row do not show was deleted: what it shows when it comes back is new, also the same
// words. One list proves nothing, since it may come from a replica that lags, nor does one without rows, or one that was cut.

// goneMark is the mark of a chat that is not listed any more.
func goneMark(count int64) uint64 { return snapMark("", 0, count) }

// isBlank reports whether a list shows nothing that is not the first one. Chats do not go all at once: it is not believed.
func (s *snapshots) isBlank(seen *listing) bool {
	return seen.len() == 0 && seen.cut == nil && s.in.listed
}

// noteVanished looks for the rows of the lists before that a whole one does not show. It keeps those that the one before
// showed, and notes in the store that the chats of the others are gone.
func (s *snapshots) noteVanished(ctx context.Context, c *cycle, before []listRow, began time.Time) error {
	var absent, gone []listRow
	find := finder{rows: s.in.rows}
	for i := range before {
		switch r := before[i]; {
		case find.rowOf(r.peer) >= 0:
		case r.state&rowAbsent != 0: //mutate:two-lists
			gone = append(gone, r)
		default:
			r.state |= rowAbsent
			absent = append(absent, r)
			s.lose(r.peer)
			s.in.heard.noteHint(r.peer)
		}
	}
	s.in.rows = slices.Concat(s.in.rows, absent, gone)
	if err := s.bury(ctx, c, gone, began); err != nil {
		return err // the next list finds them again
	}
	s.in.rows = s.in.rows[:len(s.in.rows)-len(gone)]
	return nil
}

// noteReturned notes which of the chats that the last whole list did not show this one does.
func (s *snapshots) noteReturned(seen *listing) {
	s.back = nil
	if len(s.lost) == 0 {
		return
	}
	s.back = map[platform.UserID]time.Time{}
	for i := range seen.glances {
		r := &s.in.rows[i]
		if r.state&rowAbsent == 0 {
			continue
		}
		r.state &^= rowAbsent
		s.back[r.peer] = s.lost[r.peer]
		s.find(r.peer)
		s.in.heard.close(r.peer, seen.began)
	}
}

// bury notes that chats are gone since the last whole list.
func (s *snapshots) bury(ctx context.Context, c *cycle, rows []listRow, began time.Time) error {
	var peers []platform.UserID
	for i := range rows {
		if _, known := s.chats[rows[i].peer]; !known {
			peers = append(peers, rows[i].peer)
		}
	}
	if err := s.load(ctx, c, peers); err != nil {
		return err
	}
	for i := range rows {
		peer := rows[i].peer
		old := s.chats[peer]
		// The count stays: numbers of events are made of it, and the same words said anew must not get one that was there before.
		//mutate:gone-mark
		now := snapshot{count: old.count, mark: goneMark(old.count), past: &past{gone: s.whole, was: old, born: rows[i].born}}
		if err := c.deliverBatch(ctx, Batch{Cursor: snapCursor(peer, now, s.whole)}); err != nil {
			return err
		}
		s.set(peer, now)
		s.find(peer)
		s.in.heard.close(peer, began)
	}
	return nil
}

// buryUnlisted notes once in an incarnation, when two whole lists in a row have been gone through, that the chats are gone which an
// earlier incarnation knew and which no list of this one has shown.
func (s *snapshots) buryUnlisted(ctx context.Context, c *cycle) error {
	if s.buried || s.last.IsZero() {
		return nil
	}
	listed := make([]platform.UserID, len(s.in.rows))
	for i := range s.in.rows {
		listed[i] = s.in.rows[i].peer
	}
	slices.Sort(listed)
	for after := platform.UserID(0); ; {
		stored, err := c.cfg.Cursors.CursorsAfter(ctx, c.cfg.Account, event.Snapshots, after, cursorsPer)
		if err != nil {
			return fmt.Errorf("read the cursors of %v: %w", event.Snapshots, err)
		}
		for i := range stored {
			after = stored[i].Peer
			_, shown := slices.BinarySearch(listed, after)
			_, known := s.chats[after]
			// The count stays as it is: numbers of events are made of it. Only the mark says that what comes back then is new.
			if gone := goneMark(stored[i].ID); !shown && !known && stored[i].Mark != 0 && stored[i].Mark != gone {
				now := snapshot{count: stored[i].ID, mark: gone}
				if err := c.deliverBatch(ctx, Batch{Cursor: snapCursor(after, now, s.last)}); err != nil {
					return err
				}
			}
		}
		// Only behind the last page: an error in between begins again with the next list, and what is marked already is passed over.
		if s.buried = len(stored) < cursorsPer; s.buried {
			return nil
		}
	}
}

// lose notes that a whole list did not show a chat.
func (s *snapshots) lose(peer platform.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = map[platform.UserID]time.Time{}
	}
	s.lost[peer] = s.shownBefore(peer)
}

// find notes that it is known again what became of a chat.
func (s *snapshots) find(peer platform.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lost, peer)
}

// shownSince returns when the last list began that showed a chat, zero for none of this incarnation; or the first one after that
// which did not, if the chat was gone.
func (s *snapshots) shownSince(peer platform.UserID, old snapshot) time.Time {
	at, back := s.back[peer]
	gone := old.goneSince()
	switch {
	case back:
		return at
	case !gone.IsZero():
		return gone
	case old.loaded:
		return time.Time{}
	default:
		return s.shownBefore(peer)
	}
}

// load takes up what is stored of chats. One that comes into the lists although the last two, which were whole, did not
// show it, was gone.
func (s *snapshots) load(ctx context.Context, c *cycle, peers []platform.UserID) error {
	stored, err := c.readCursors(ctx, event.Snapshots, peers)
	if err != nil {
		return err
	}
	for _, peer := range peers {
		now := snapshot{count: stored[peer].ID, mark: stored[peer].Mark, loaded: true}
		switch {
		case now.mark == 0:
		case now.mark == goneMark(now.count):
			now.past = &past{gone: stored[peer].PolledAt}
		// Two whole lists of this incarnation did not show it, so it was gone, also when an earlier incarnation has stored something else.
		case !s.last.IsZero():
			now.mark, now.past = goneMark(now.count), &past{gone: s.last}
		default:
			now.at = stored[peer].PolledAt.UnixMilli()
		}
		s.set(peer, now)
	}
	return nil
}

// isLagged reports whether a row shows again what it showed before its chat was gone, as far as its age tells: lists have
// lagged. A person who deletes the chat and says the same words at once looks like that, too.
func (s *snapshot) isLagged(seen *listing, i int, next snapshot) bool {
	age, unit, ok := seen.glances[i].shownAge()
	gone := s.goneSince()
	if !ok || gone.IsZero() || !gone.Before(seen.began) {
		return false
	}
	asOld := s.past.born != 0 && seen.began.Add(-age-unit).UnixMilli() <= s.past.born
	return seen.ended.Add(-age).Before(gone) || asOld && s.past.was.alike(next) //mutate:lagged-alike
}

// alike reports whether two rows show the same text, and as many unread messages.
func (s *snapshot) alike(x snapshot) bool {
	return s.mark != 0 && markedText(s.mark) == markedText(x.mark) && markedUnread(s.mark) == markedUnread(x.mark)
}
