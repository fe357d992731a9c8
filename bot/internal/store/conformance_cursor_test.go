package store_test

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// testCursorsTogether: the cursors of a write are stored with it, above those that nobody waits for, or not at all.
func testCursorsTogether(w *world) {
	at := func(peer platform.UserID, id int64, mark uint64) record.Cursor {
		return record.Cursor{Account: ana, Source: event.Snapshots, Peer: peer, ID: id, Mark: mark, PolledAt: noon}
	}
	with := func(x store.Write, cursors ...record.Cursor) store.Write {
		x.Cursors = cursors
		return x
	}
	w.must(turnOf(message(7, 1)))
	w.QueueCursors(at(1, 4, 40), at(2, 4, 40)) // of lists before
	sequence := &store.Sequence{}
	receipts := w.commitAll(
		with(store.Write{Turn: turnOf(message(8, 2))}, at(1, 5, 50)),
		with(store.Write{Pending: []event.Event{message(8, 3)}}, at(3, 1, 10), at(4, 1, 11)),
		with(store.Write{Attempt: &store.Attempt{Event: message(8, 4), Tries: 1, At: noon}}, at(5, 1, 10)),
		with(store.Write{Turn: turnOf(message(7, 1))}, at(2, 5, 50)),
		with(on(sequence, named(turnOf(message(8, 5)), 7, "stale")), at(6, 1, 10)),
		with(on(sequence, turnOf(message(8, 6))), at(7, 1, 10)),
		with(store.Write{}, at(8, 1, 10)),
	)
	w.same("receipts", []string{"stored", "stored", "stored", "dropped", "stale", "stale", "stored"}, outcomes(receipts))
	got, err := w.CursorsAfter(w.Context(), ana, event.Snapshots, 0, 100)
	w.same("error", nil, err)
	w.same("cursors", []record.Cursor{at(1, 5, 50), at(2, 4, 40), at(3, 1, 10), at(4, 1, 11), at(5, 1, 10), at(8, 1, 10)}, got)
}
