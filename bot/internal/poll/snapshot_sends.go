package poll

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
)

// What the account sends explains rows of the chat list until a list was read that began after the answer
// came. Some platforms show it later than that: for a while, it explains rows that nobody else can explain.
const sendLag = time.Minute

// Unnamed is the id of a message of which the answer, or what told that it arrived, gave no id.
const Unnamed platform.MessageID = -1

// Own is a message of the account's own.
type Own struct {
	Peer platform.UserID
	ID   platform.MessageID // 0 while nobody knows whether it arrived
	Text string
}

// restore takes up what earlier incarnations sent, and what may still arrive. Nothing else tells whose words the
// first list shows.
func (s *snapshots) restore(ctx context.Context, c *cycle) error {
	if s.restored {
		return nil
	}
	// Messages may have been read until now: nothing else would ever close the hints of chats that wait to be.
	s.in.heard.forgetChats() //mutate:forget-waiting
	c.sends.onlyLists()
	said := map[platform.UserID][]send{}
	err := c.cfg.Bot.RecentOwnMessages(ctx, s.stored, func(own Own) {
		sent := send{id: own.ID, text: foldSent(own.Text), at: c.began}
		if own.ID != 0 {
			sent.answered = c.began
		}
		said[own.Peer] = append(said[own.Peer], sent)
	})
	if err != nil {
		return fmt.Errorf("read what the account sent lately: %w", err)
	}
	c.sends.restore(said) //mutate:restore-own
	s.restored = true
	return nil
}

// onlyLists begins anew where lists are all that tells of messages.
func (s *sends) onlyLists() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
}

// restore adds what earlier incarnations sent. What this one has sent already may be among it.
func (s *sends) restore(said map[platform.UserID][]send) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for peer, list := range said {
		known := s.chats[peer]
		delete(s.chats, peer)
		for _, sent := range list {
			// An id that is not believed must not become the highest one: nothing of ours would be looked for above it.
			if sent.id <= s.level.noteID(sent.at, sent.id) {
				s.top = max(s.top, sent.id)
			}
			if !slices.ContainsFunc(known, func(x send) bool { return x.id == sent.id && (x.id > 0 || x.text == sent.text) }) {
				s.keepLocked(peer, sent)
			}
		}
		for _, sent := range known {
			s.keepLocked(peer, sent)
		}
	}
}

// highestID returns the highest id that an answer has told.
func (s *sends) highestID() platform.MessageID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.top
}

// whose is what is known of the words that a row shows.
type whose struct {
	ours bool // the account sent them
	open bool // and nobody knows yet whether they arrived, but for this row
	sent bool // the account sent something lately, perhaps in other words
	old  bool // and a list before had to show them: others stood above them, or they are said again
}

// whoseWords tells whose words a row shows that changed since the list before, which began at since. Where
// somebody else wrote meanwhile, what that list should have shown explains nothing.
func (s *sends) whoseWords(peer platform.UserID, shown string, since time.Time, wrote bool) (w whose) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answered, lately := false, false
	for _, sent := range s.chats[peer] {
		old := !sent.answered.IsZero() && sent.answered.Before(since)
		if old && wrote {
			continue
		}
		w.sent = w.sent || !old && since.Sub(sent.at) < sendLag
		if showsText(shown, sent.text) {
			w.ours = true
			w.open = w.open || sent.id == 0
			answered = answered || sent.id != 0 && !old
			lately = lately || !old
		}
	}
	w.open, w.old = w.open && !answered, w.ours && !lately
	return w
}

// recentSends returns what was sent lately.
func (s *sends) recentSends() map[platform.UserID][]send {
	s.mu.Lock()
	defer s.mu.Unlock()
	recent := make(map[platform.UserID][]send, len(s.chats))
	for peer, list := range s.chats {
		recent[peer] = slices.Clone(list)
	}
	return recent
}

// sendHidden is how long what was sent explains a row that a cut hides.
const sendHidden = time.Hour

// forgetShown forgets what explains nothing any more after a list that began then. If it was cut, it shows only some chats.
func (s *sends) forgetShown(began time.Time, chats map[platform.UserID]struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for peer, list := range s.chats {
		lag := sendLag
		if _, shown := chats[peer]; chats != nil && !shown {
			lag = sendHidden
		}
		list = slices.DeleteFunc(list, func(sent send) bool {
			if sent.answered.IsZero() {
				return began.Sub(sent.at) >= max(lag, sendKept)
			}
			return began.Sub(sent.answered) >= lag
		})
		if s.chats[peer] = list; len(list) == 0 {
			delete(s.chats, peer)
		}
	}
}

// SnapshotRow is what the chat list says of a chat: without get_messages, all there is to tell whether a message
// of the account's own arrived.
type SnapshotRow struct {
	// At is when the list began to be read that showed the chat, or would have; zero while none did. Where lists are
	// cut, that may be long ago.
	At time.Time
	// Mark stands for the last text, for how many messages of the other person's the lists have shown, which
	// are the 16 bits before the last, and for how many of them are unread, which are the last 16 bits. It
	// has 63 bits; 0 while nothing is known.
	Mark int64
	// Shows: the last text is the one that was asked for, as far as can be seen of it.
	Shows bool
	// Ours: the account sent the last text, and no list before had to show it.
	Ours bool
	// Open: no message of that text was known to have arrived when the row came to show it.
	Open bool
}

// SnapshotRow returns what the last list said of the chat with peer, and whether it shows text. It is false where
// get_messages is not done without. It may be called at any time.
func (p *Poller) SnapshotRow(peer platform.UserID, text string) (SnapshotRow, bool) {
	return p.messages.get().rowOf(peer, text)
}

func (s *snapshots) rowOf(peer platform.UserID, text string) (SnapshotRow, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, listed := s.chats[peer]
	at := s.shownBefore(peer)
	_, lost := s.lost[peer]
	switch {
	case lost: // the next list tells
		at = time.Time{}
	case !listed && !at.IsZero():
		now.mark = goneMark(0)
	}
	return SnapshotRow{
		At: at, Mark: int64(now.mark), Shows: showsText(now.text, foldSent(text)), Open: now.whose.open,
		Ours: now.whose.ours && !now.whose.old, //mutate:old-words
	}, true
}

// keptRunes is what is kept of the text of a row.
const keptRunes = 64

// keptText returns what is kept of the text of a row.
func keptText(text string) string {
	text = foldText(text)
	if len(text) <= keptRunes || utf8.RuneCountInString(text) <= keptRunes {
		return text
	}
	n := 0
	for i := range text {
		if n++; n > keptRunes {
			return text[:i] + ellipsis
		}
	}
	return text
}
