package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// rereadEvents lets events be read from the platform again that it shows and nobody knows: the cursors that have passed them
// are set back, in the commit of this turn. What is known by then is not read again.
func (b *Bot) rereadEvents(ctx context.Context, t *Turn, q *event.Request) error {
	a := t.reader.account
	known, err := a.delivered.KnownEvents(ctx, q.Events)
	if err != nil {
		return storeError{err}
	}
	missing := slices.DeleteFunc(slices.Clone(q.Events), func(id event.ID) bool {
		return known[id] || id.Number < 1 || !a.poller.ReadsByID(id.Source)
	})
	if len(missing) == 0 {
		t.noteObsolete("none of it is missing any more")
		return nil
	}
	slices.SortFunc(missing, func(x, y event.ID) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Number, y.Number))
	})
	for i, id := range missing { // the lowest one of each source brings the others with it
		if i > 0 && missing[i-1].Source == id.Source {
			continue
		}
		if err := a.readAgain(ctx, id, q.Key.Peer); err != nil {
			return err
		}
	}
	if len(missing) == 1 {
		t.Note("%s is read again", missing[0])
	} else {
		t.Note("%d events are read again, from %s to %s", len(missing), missing[0], missing[len(missing)-1])
	}
	return nil
}

// readAgain sets the cursor back that has passed an event: in the store with the next commit, and in the poller.
func (a *account) readAgain(ctx context.Context, id event.ID, peer platform.UserID) error {
	if id.Source != event.Messages {
		peer = 0
	}
	stored, err := a.bot.store.Cursors(ctx, a.name, id.Source, []platform.UserID{peer})
	if err != nil {
		return storeError{fmt.Errorf("read the cursor of %v: %w", id.Source, err)}
	}
	cursor := record.Cursor{Account: a.name, Source: id.Source, Peer: peer, PolledAt: a.delivered.began}
	if len(stored) > 0 {
		cursor = stored[0]
	}
	below := max(1, id.Number-1)
	a.ingest.limitCursor(trackKey{id.Source, int64(peer)}, below)
	if cursor.ID > below || len(stored) == 0 {
		cursor.ID, cursor.Back = below, true
		a.bot.store.QueueCursors(cursor)
	}
	a.poller.ReadAgain(id, peer) //mutate:read-again
	return nil
}
