package store

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

type cursorKey struct {
	account event.Account
	source  event.Source
	peer    platform.UserID
}

// QueueCursors queues cursors lazily; see Store.
func (w *Writer) QueueCursors(cursors ...record.Cursor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(cursors) == 0 || w.ended {
		return
	}
	for _, c := range cursors {
		w.laterLocked(c, true)
	}
	w.lazilyLocked(linger)
}

// laterLocked queues a cursor. Of several of a list only the last is stored, with the highest number; newer
// reports whether c came after the one that is queued.
func (w *Writer) laterLocked(c record.Cursor, newer bool) {
	k := cursorKey{c.Account, c.Source, c.Peer}
	i, ok := w.places[k]
	if !ok {
		w.places[k] = len(w.cursors)
		w.cursors = append(w.cursors, c)
		return
	}
	queued := &w.cursors[i]
	// putBack brings cursors of a failed group, which are older than what is queued: which of the two was set back counts in the order in which
	// they were read, not in which they come here.
	before, after := *queued, c
	if !newer {
		before, after = c, *queued
	}
	if *queued = after; !after.Back { // what was set back has gone on from there since
		queued.ID, queued.Back = max(before.ID, after.ID), before.Back
	}
}
