package poll

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/record"
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

// restoreLevel finds out, after a restart, up to which message ids are believed: by the cursors of the chats that
// the list shows, and by what was stored last. A watermark above that hides everybody who has no cursor yet.
func (cr *chatReader) restoreLevel(ctx context.Context, c *cycle, seen *listing, stored map[platform.UserID]record.Cursor) error {
	ids := append(make([]int64, 0, len(stored)+1), int64(cr.watermark))
	for _, cursor := range stored {
		ids = append(ids, cursor.ID)
	}
	top := cr.believable(c, ids)
	cr.in.level.setTop(top)
	if cr.watermark <= top {
		return nil
	}
	if top == 0 { // nothing is known: it is as at a first start
		var err error
		if top, _, err = cr.newestMessage(ctx, c, seen); err != nil {
			return err
		}
		cr.in.level.setTop(top)
	}
	// Delivered with Back, or the store would keep the higher number.
	c.noteReset(ctx, event.Messages, 0, int64(cr.watermark), int64(top))
	cr.watermark, cr.sunk = top, true
	return cr.in.deliverOwn(ctx, c, cr.in.polledAt)
}

// believable returns the highest of some stored ids that is believed. What was stored last is: cursors that stand far
// above it were set by a version that believed every id, however many they are.
func (cr *chatReader) believable(c *cycle, ids []int64) platform.MessageID {
	last := int64(0)
	if c.cfg.Delivered != nil {
		last, _ = c.cfg.Delivered.StoredEvents(event.Messages)
	}
	if last == 0 {
		return platform.MessageID(leap.HighestBelievable(ids))
	}
	slices.Sort(ids)
	for _, id := range ids {
		if !leap.IsLeap(last, id) {
			last = max(last, id)
		}
	}
	return platform.MessageID(last)
}

// lowerWatermark wants the watermark to be no higher than to. Chats are read at the same time.
func (cr *chatReader) lowerWatermark(to platform.MessageID) {
	for {
		now := cr.sinks.Load()
		if now != 0 && now <= int64(to) || cr.sinks.CompareAndSwap(now, max(1, int64(to))) {
			return
		}
	}
}

// sinkWatermark lowers the watermark, if a chat has shown that it stands too high.
func (cr *chatReader) sinkWatermark() {
	if to := platform.MessageID(cr.sinks.Swap(0)); to != 0 && to < cr.watermark {
		// The account's cursor is due at once: after a crash the next incarnation would begin with the one that hides messages.
		cr.watermark, cr.sunk, cr.in.keptAt = to, true, cr.in.keptAt.Add(-keepAfter)
	}
}
