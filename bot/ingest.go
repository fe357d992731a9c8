package bot

import (
	"context"
	"fmt"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/bot/store"
)

// ingest takes batches of events from the pollers, drops what was seen before, and hands the rest to
// the lanes. A batch's cursor is stored once all its events, and those of earlier batches of the same
// source, are.
type ingest struct {
	mu     sync.Mutex
	seen   map[eventKey]bool     // events in the lanes: true for those that came with a batch
	polled int                   // how many came with a batch
	tracks map[trackKey][]*track // batches on their way, oldest first
	room   chan struct{}         // closed and replaced when events leave
}

type eventKey struct {
	account event.Account
	id      event.ID
}

type trackKey struct {
	account event.Account
	source  event.Source
	peer    int64
}

// track follows the events of one batch until they are stored.
type track struct {
	key    trackKey
	cursor poll.Cursor
	left   int // events that are not stored yet
}

// maxSeen is how many events may have come with batches and be in the lanes before the pollers have to
// wait. What an earlier life left, and what is tried again, does not hold them up. With many more, a rush
// would wait so long that it is shelved, and written twice.
const maxSeen = 2048

func newIngest() *ingest {
	return &ingest{seen: map[eventKey]bool{}, tracks: map[trackKey][]*track{}, room: make(chan struct{})}
}

// wait blocks while the lanes are full.
func (in *ingest) wait(ctx context.Context) error {
	for {
		in.mu.Lock()
		full, room := in.polled >= maxSeen, in.room
		in.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// admit notes the batch and returns those of its events that are neither stored nor in the lanes, and
// the cursor that may be stored now, if any. The cursor also waits for so many others.
func (in *ingest) admit(b poll.Batch, stored map[event.ID]bool, others int) ([]event.Event, *track, []poll.Cursor) {
	in.mu.Lock()
	defer in.mu.Unlock()
	fresh := b.Events[:0:0]
	for _, e := range b.Events {
		k := eventKey{e.Account, e.ID}
		if _, ok := in.seen[k]; ok {
			continue
		}
		if _, ok := stored[e.ID]; ok {
			continue
		}
		in.seen[k] = true
		in.polled++
		fresh = append(fresh, e)
	}
	t := &track{cursor: b.Cursor, left: len(fresh) + others}
	t.key = trackKey{b.Cursor.Account, b.Cursor.Source, int64(b.Cursor.Peer)}
	in.tracks[t.key] = append(in.tracks[t.key], t)
	return fresh, t, in.advance(t.key)
}

// landed notes that an event has left its lane: it is handled or quarantined.
func (in *ingest) landed(account event.Account, id event.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	k := eventKey{account, id}
	full := in.polled >= maxSeen
	if in.seen[k] {
		in.polled--
	}
	delete(in.seen, k)
	if full && in.polled < maxSeen {
		close(in.room)
		in.room = make(chan struct{})
	}
}

// again notes that an event comes into its lane which is stored already.
func (in *ingest) again(k eventKey) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.seen[k] {
		in.seen[k] = false
	}
}

// stored notes that one more event of a batch is stored, and returns the cursor that may be stored
// now, if any.
func (in *ingest) stored(t *track) []poll.Cursor {
	in.mu.Lock()
	defer in.mu.Unlock()
	t.left--
	return in.advance(t.key)
}

// advance drops the batches of a source that are stored, oldest first, and returns the cursor of the
// last one of them. in.mu is held.
func (in *ingest) advance(k trackKey) []poll.Cursor {
	queue := in.tracks[k]
	var cursors []poll.Cursor
	for len(queue) > 0 && queue[0].left == 0 {
		cursors = append(cursors[:0], queue[0].cursor)
		queue = queue[1:]
	}
	if len(queue) == 0 {
		delete(in.tracks, k)
	} else {
		in.tracks[k] = queue
	}
	return cursors
}

// deliver takes a batch of events from the account's poller; it blocks while the lanes are full.
func (a *account) deliver(ctx, lanes context.Context, batch poll.Batch) error {
	b := a.bot
	if err := b.ingest.wait(ctx); err != nil {
		return err
	}
	var stored map[event.ID]bool
	if ids := a.perhapsStored(batch.Events); len(ids) > 0 {
		var err error
		if stored, err = b.store.Stored(ctx, a.name, ids); err != nil {
			return fmt.Errorf("look for events that were stored before: %w", err)
		}
	}
	strangers, err := a.foreign(ctx, a.strangers.unknown(batch.Own))
	if err != nil {
		return err
	}
	fresh, t, cursors := b.ingest.admit(batch, stored, len(strangers))
	a.strangers.wait(batch.Cursor.Peer, strangers, t)
	if err := a.keep(ctx, cursors); err != nil {
		return err
	}
	for _, e := range fresh {
		b.submit(lanes, a, &item{trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, track: t})
	}
	return nil
}

// keep stores cursors with any later commit. The first one of a source is stored when keep returns: a
// crash must not make the poller begin anew, behind what came meanwhile.
func (a *account) keep(ctx context.Context, cursors []poll.Cursor) error {
	if len(cursors) == 0 {
		return nil
	}
	a.bot.store.Later(cursors...)
	for _, c := range cursors {
		if c.Peer != 0 {
			continue
		}
		if _, begun := a.begun.LoadOrStore(c.Source, true); begun {
			continue
		}
		if err := a.bot.store.MarkNow(ctx); err != nil {
			a.begun.Delete(c.Source)
			return fmt.Errorf("store where the source %v begins: %w", c.Source, err)
		}
	}
	return nil
}

// perhapsStored returns the ids that an earlier life may have stored. What is above the last stored
// event at start is new.
func (a *account) perhapsStored(events []event.Event) []event.ID {
	var ids []event.ID
	for i := range events {
		if id := events[i].ID; id.Number <= a.last[id.Source] || id.Source == event.Snapshots {
			ids = append(ids, id)
		}
	}
	return ids
}

// finished notes that an item's trigger is stored as handled, or quarantined.
func (b *Bot) finished(it *item) {
	switch it.trigger.Kind {
	case event.ByTimer:
		b.timers.done(it.trigger.Timer)
	case event.ByDecision:
		b.requests.done(it.trigger.Request)
	case event.ByEvent:
		b.ingest.landed(it.trigger.Key.Account, it.trigger.Event.ID)
	}
	if it.track == nil {
		return
	}
	if cursors := b.ingest.stored(it.track); len(cursors) > 0 {
		b.store.Later(cursors...)
	}
}

// pend puts the events that an earlier life stored and did not handle into their lanes.
func (b *Bot) pend(ctx context.Context, a *account) error {
	pending, err := b.store.Pending(ctx, a.name, 0, maxPending)
	if err != nil {
		return err
	}
	for i := range pending {
		b.waits(ctx, a, &pending[i])
	}
	return nil
}

// waits puts an event that is stored as pending into its lane.
func (b *Bot) waits(ctx context.Context, a *account, p *store.PendingEvent) {
	b.ingest.again(eventKey{a.name, p.ID})
	b.submit(ctx, a, &item{trigger: event.Trigger{Kind: event.ByEvent, Key: p.Key(), Event: p.Event, Late: p.Late}, tries: p.Tries})
}

const maxPending = 1 << 20
