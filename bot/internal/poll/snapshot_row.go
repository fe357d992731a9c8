package poll

import (
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
)

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
