package poll

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// cursorReset is a cursor that stood too high, and was set back.
type cursorReset struct {
	undelivered bool     // that is not delivered yet
	passed      int64    // where it stood
	tried       *[]int64 // rows for which it was: they are not missed twice; nil while there are none
}

// noteLowest notes that the cursor, which stood at an id, is set back below what nobody knows. passedBefore tells of the former.
func (r *cursorReset) noteLowest(lowest, stood int64) {
	r.passed = max(stood, r.passedBefore())
	if r.undelivered = true; r.tried == nil {
		r.tried = &[]int64{}
	}
	if *r.tried = append(*r.tried, lowest); len(*r.tried) > tailSize {
		*r.tried = slices.Delete(*r.tried, 0, 1)
	}
}

// passedBefore returns the highest id that counts as passed although it is read again; 0 for none.
func (r *cursorReset) passedBefore() int64 {
	if !r.undelivered {
		return 0
	}
	return r.passed
}

func (r *cursorReset) isInVain(id int64) bool { return r.tried != nil && slices.Contains(*r.tried, id) }

// lowestUnknown returns the lowest number of events that were never delivered; 0 for none.
func (c *cycle) lowestUnknown(ctx context.Context, ids []event.ID) (lowest int64, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	known, err := c.cfg.Delivered.KnownEvents(ctx, ids)
	for _, id := range ids {
		if err == nil && !known[id] && (lowest == 0 || id.Number < lowest) {
			lowest = id.Number
		}
	}
	return lowest, err
}

// noteReset counts a cursor that was set back, and tells the log. peer is 0 for a list.
func (c *cycle) noteReset(ctx context.Context, source event.Source, peer platform.UserID, from, to int64) {
	c.hearing.noteReset()
	attrs := []slog.Attr{
		slog.String("account", string(c.cfg.Account)), slog.String("cursor", source.String()),
		slog.Int64("from", from), slog.Int64("to", to),
	}
	if peer != 0 {
		attrs = append(attrs, slog.Int64("peer", int64(peer)))
	}
	c.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "a cursor stood above what the platform shows, and was set back: what was missed is read now, and nothing is answered twice",
		attrs...)
}

// wishes are the cursors that somebody wants to be set back.
type wishes struct {
	mu  sync.Mutex // guards the field below
	ids map[wish]int64
}

type wish struct {
	source event.Source
	peer   platform.UserID
}

// ReadAgain tells the poller to read a source again from an event on, in the chat with peer if it is one of
// messages: the next cycle sets its cursor back. What was delivered is delivered again. It may be called at any
// time.
func (p *Poller) ReadAgain(id event.ID, peer platform.UserID) {
	p.wishes.mu.Lock()
	defer p.wishes.mu.Unlock()
	w := wish{source: id.Source}
	if id.Source == event.Messages {
		w.peer = peer
	}
	if p.wishes.ids == nil {
		p.wishes.ids = map[wish]int64{}
	}
	p.wishes.ids[w] = min(cmp.Or(p.wishes.ids[w], id.Number), id.Number)
}

// ReadsByID reports whether a source is one that the poller reads by ids: its cursor can be set back.
func (p *Poller) ReadsByID(source event.Source) bool {
	switch source {
	case event.Messages:
		return p.cfg.Sources.Messages && p.messages.get().id() == event.Messages
	case event.Notifs:
		return p.cfg.Sources.Notifs
	case event.Mentions:
		return p.cfg.Sources.Mentions
	default:
		return false
	}
}

// takeWanted returns the wishes of a source, and forgets them.
func (w *wishes) takeWanted(source event.Source) (wanted map[platform.UserID]int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k, id := range w.ids {
		if k.source != source {
			continue
		}
		if wanted == nil {
			wanted = map[platform.UserID]int64{}
		}
		wanted[k.peer] = id
		delete(w.ids, k)
	}
	return wanted
}

// pendWished queues the chats whose cursor somebody wants to be set back. The rows are in the order of seen.
func (cr *chatReader) pendWished(c *cycle, seen *listing) {
	wanted := c.wishes.takeWanted(event.Messages)
	if len(wanted) == 0 {
		return
	}
	find := finder{rows: cr.in.rows}
	for _, peer := range slices.Sorted(maps.Keys(wanted)) {
		ch := cr.activeChat(peer)
		if i := find.rowOf(peer); i >= 0 {
			ch = cr.chatOfRow(seen, int(i))
		} else {
			ch.index = -1
		}
		ch.wish = platform.MessageID(wanted[peer])
		cr.queueChat(ch)
	}
}
