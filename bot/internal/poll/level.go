package poll

import (
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/platform"
)

// level is the highest id of the messages of all chats that is believed; see leap.Level.
type level struct {
	mu  sync.Mutex // guards the field below
	ids leap.Level
}

// noteID notes a message that a reading at a time showed, and returns the highest one that is believed.
func (l *level) noteID(at time.Time, id platform.MessageID) platform.MessageID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return platform.MessageID(l.ids.NoteID(at, int64(id)))
}

// seeAll notes the messages of a reading, in ascending order, and returns the highest one that was believed before, and
// that is now.
func (l *level) seeAll(at time.Time, messages []platform.Message) (was, top platform.MessageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// In ascending order, since each id that is believed lets the next one be less of a leap.
	was = platform.MessageID(l.ids.TopID())
	for i := range messages {
		l.ids.NoteID(at, int64(messages[i].ID))
	}
	return was, platform.MessageID(l.ids.TopID())
}

func (l *level) topID() platform.MessageID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return platform.MessageID(l.ids.TopID())
}

// setTop puts the level at top.
func (l *level) setTop(top platform.MessageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids.SetTop(int64(top))
}

// BelievedMessageID reports whether the id of a message is one that the platform may have given out by now, as far as what was
// read so far tells; otherwise it returns the highest one that is. It may be called at any time.
func (p *Poller) BelievedMessageID(id platform.MessageID) (platform.MessageID, bool) {
	top := p.level.topID()
	return top, id <= top || !leap.IsLeap(int64(top), int64(id))
}
