package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// delivered knows which events were delivered before, by this incarnation and the earlier ones; it is what the poller asks.
type delivered struct {
	account *account
	began   time.Time                      // this incarnation
	last    [event.Snapshots + 1]int64     // by source: the highest event number that an earlier incarnation stored and that is believed
	above   map[event.Source][]event.Event // and what it stored above that, nil for nothing: see leap.Level
}

const (
	restored   = 64 // events with the highest numbers of a source, read at a start
	lastRecent = 64 // events of a person that may be the same as one that shows another id now
)

// restoredSources are those of which a start reads them.
var restoredSources = [...]event.Source{event.Messages, event.Notifs, event.Mentions}

// restore reads how far earlier incarnations have stored a source.
func (d *delivered) restore(ctx context.Context, source event.Source) error {
	newest, err := d.account.bot.store.Newest(ctx, d.account.name, source, restored)
	if err != nil {
		return err
	}
	cursors, err := d.account.bot.store.Cursors(ctx, d.account.name, source, []platform.UserID{0})
	if err != nil {
		return err
	}
	numbers := make([]int64, len(newest), len(newest)+1)
	for i := range newest {
		numbers[i] = newest[i].ID.Number
	}
	for _, c := range cursors { // where the account began is below all of them
		numbers = append(numbers, c.Began())
	}
	last := leap.HighestBelievable(numbers)
	d.last[source] = last
	above := slices.DeleteFunc(newest, func(e event.Event) bool { return e.ID.Number <= last })
	if len(above) == 0 {
		return nil
	}
	if d.above == nil {
		d.above = map[event.Source][]event.Event{}
	}
	d.above[source] = slices.Clone(above) // the others take no room
	return nil
}

// maybeStored returns those events of a batch that may be stored already: all where the poller goes over what it has read
// before, otherwise those that an earlier incarnation may have stored.
func (d *delivered) maybeStored(b *poll.Batch) []event.ID {
	var ids []event.ID
	for i := range b.Events {
		id := b.Events[i].ID
		if b.Again || id.Source == event.Snapshots || id.Number <= d.last[id.Source] || d.isAbove(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (d *delivered) isAbove(id event.ID) bool {
	return slices.ContainsFunc(d.above[id.Source], func(e event.Event) bool { return e.ID == id })
}

// KnownEvents implements poll.Delivered.
func (d *delivered) KnownEvents(ctx context.Context, ids []event.ID) (map[event.ID]bool, error) {
	known := map[event.ID]bool{}
	var rest []event.ID
	for _, id := range ids {
		if d.account.ingest.has(id) {
			known[id] = true
		} else {
			rest = append(rest, id) // what has left its lane since is stored
		}
	}
	stored, err := d.account.bot.store.StoredEvents(ctx, d.account.name, rest)
	if err != nil {
		return nil, fmt.Errorf("look for events that were stored before: %w", err)
	}
	for id := range stored {
		known[id] = true
	}
	return known, nil
}

// CheckAgain implements poll.Delivered. A notification whose id was handled before for another post and person is not handled: nobody can tell a
// platform that gives its ids out again from one that shows the wrong row.
func (d *delivered) CheckAgain(ctx context.Context, source event.Source, rows []event.Event) error {
	if len(rows) == 0 || source != event.Notifs && source != event.Mentions {
		return nil
	}
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID.Number
	}
	was, err := d.account.bot.store.Whose(ctx, d.account.name, source, ids)
	if err != nil {
		return err
	}
	for i := range rows {
		e := &rows[i]
		if old, known := was[e.ID.Number]; known && e.IsAnother(&old) && d.account.tellsAgain(source) { //mutate:ids-again
			d.account.bot.log.WarnContext(ctx, "ids of notifications come again for other posts and people: these are not handled; nectar audit lists them",
				"account", d.account.name, "list", source.String(), "id", e.ID.String(), "peer", int64(e.Peer), "post", int64(e.Post), "was_peer", int64(old.Peer), "was_post", int64(old.Post))
		}
	}
	return nil
}

// tellsAgain reports whether nothing was told yet of ids of a source that come again, in this term.
func (a *account) tellsAgain(source event.Source) bool {
	return a.ingest.toldAgain[source].CompareAndSwap(false, true)
}

// StoredEvents implements poll.Delivered.
func (d *delivered) StoredEvents(source event.Source) (last int64, above []event.Event) {
	return d.last[source], d.above[source]
}

// RecentEvents implements poll.Delivered.
func (d *delivered) RecentEvents(ctx context.Context, peer platform.UserID) ([]event.Event, error) {
	key := event.Key{Account: d.account.name, Peer: peer}
	recent := d.account.inLane(peer) // what has left its lane since is stored
	stored, err := d.account.bot.store.RecentEvents(ctx, key, lastRecent)
	if err != nil {
		return nil, fmt.Errorf("look for what somebody has said: %w", err)
	}
	for i := range stored {
		if !slices.ContainsFunc(recent, func(e event.Event) bool { return e.ID == stored[i].ID }) {
			recent = append(recent, stored[i])
		}
	}
	slices.SortStableFunc(recent, func(x, y event.Event) int { return y.SeenAt.Compare(x.SeenAt) })
	return recent, nil
}

// inLane returns the events of a conversation that the platform has told of, and that are not stored as handled yet.
func (a *account) inLane(peer platform.UserID) (events []event.Event) {
	l := a.lanes.lookup(peer)
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, jobs := range [][]*job{l.queue, l.inFlight, l.toRetry} {
		for _, j := range jobs {
			if j.trigger.Kind == event.ByEvent && j.trigger.Event.ID.Source != event.Deliveries {
				events = append(events, j.trigger.Event)
			}
		}
	}
	return events
}

// OutcomeSame is the outcome of what asks for nothing: the platform had shown it before, under another id.
const OutcomeSame = "same"

// skipRedelivered leaves an event undecided that was delivered before under another id; false when it was not.
func (b *Bot) skipRedelivered(_ context.Context, t *Turn) (bool, error) {
	//mutate:same
	if t.Event.Kind != event.KindSame || t.Trigger.Kind != event.ByEvent {
		return false, nil
	}
	t.rec.Outcome = OutcomeSame
	t.Note("it was there before as %s", t.Event.Subject)
	return true, nil
}

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
