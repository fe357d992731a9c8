package bot

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// ingest takes batches of events from an account's poller, drops what was seen before, and hands the rest to
// the lanes. A batch's cursor is stored once all its events, and those of earlier batches of the same
// source, are.
type ingest struct {
	toldAgain [event.Snapshots + 1]atomic.Bool // by source: ids come again, and it was said

	mu     sync.Mutex            // guards the fields below
	seen   map[event.ID]waiting  // events in the lanes; nil for none
	count  [waitings]int         // how many of them wait how
	tracks map[trackKey][]*track // batches on their way, oldest first; nil for none
	limits map[trackKey]int64    // cursors that are to be set back, before the poller knows; nil for none
	room   chan struct{}         // closed when there is room again; nil while nobody waits for that
}

// waiting says how an event waits for its turn.
type waiting uint8

const (
	left    waiting = iota // stored, by an earlier incarnation or to be tried again
	pending                // came with a batch, and is stored as pending
	polled                 // came with a batch, and is in memory alone
	waitings
)

type trackKey struct {
	source event.Source
	peer   int64
}

// begun tells by source whether it is stored where that begins.
type begun [event.Snapshots + 1]atomic.Bool

// track follows the events of one batch until they are stored.
type track struct {
	key    trackKey
	cursor record.Cursor
	left   int // events that are not stored yet
}

// withEvents returns the cursor that is stored with the events of a batch, not behind them. The number of a snapshot's event
// depends on how many there were before in its chat, which the cursor counts. If a crash left the event without it, the same
// words, said again, would have the same number, and be dropped.
func (t *track) withEvents() []record.Cursor {
	if t == nil || t.key.source != event.Snapshots { //mutate:cursor-with-events
		return nil
	}
	return []record.Cursor{t.cursor}
}

// How many events of an account may be in the lanes before its poller has to wait; other accounts go on. What an
// earlier incarnation left, and what is tried again, does not hold it up.
const (
	// maxPolled is for those that are in memory alone: with many more, a rush would wait so long that it is
	// stored as pending, and written twice. What waits behind a conversation that is stuck is soon stored as pending.
	maxPolled = 2048
	// maxWaiting is for all, since they take memory: half a kilobyte each.
	maxWaiting = 1 << 15
)

// fullLocked reports whether the poller has to wait.
func (in *ingest) fullLocked() bool {
	return in.count[polled] >= maxPolled || in.count[polled]+in.count[pending] >= maxWaiting
}

// wait blocks while the lanes are full.
func (in *ingest) wait(ctx context.Context) error {
	for {
		in.mu.Lock()
		full := in.fullLocked()
		if full && in.room == nil {
			in.room = make(chan struct{})
		}
		room := in.room
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

// setLocked notes how an event in the lanes waits; gone: it does not any more.
func (in *ingest) setLocked(id event.ID, how waiting, gone bool) {
	full := in.fullLocked()
	if was, ok := in.seen[id]; ok {
		in.count[was]--
	}
	if gone {
		if delete(in.seen, id); in.atRestLocked() {
			in.seen = nil
		}
	} else {
		if in.seen == nil {
			in.seen = map[event.ID]waiting{}
		}
		in.seen[id] = how
		in.count[how]++
	}
	if full && !in.fullLocked() && in.room != nil {
		close(in.room)
		in.room = nil
	}
}

// atRestLocked reports whether nothing is on its way.
func (in *ingest) atRestLocked() bool { return len(in.seen)+len(in.tracks) == 0 }

// has reports whether an event is in its lane.
func (in *ingest) has(id event.ID) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	_, ok := in.seen[id]
	return ok
}

// admitBatch notes the batch and returns those of its events that are neither stored nor in the lanes, and
// the cursor that may be stored now, if any. The cursor also waits for so many others.
func (in *ingest) admitBatch(b poll.Batch, stored map[event.ID]bool, others int) ([]event.Event, *track, []record.Cursor) {
	in.mu.Lock()
	defer in.mu.Unlock()
	// An event in a lane may not be stored yet, and one that is stored may have left its lane: an event that comes again is known by one of the two.
	fresh := b.Events[:0:0]
	for _, e := range b.Events {
		if _, ok := in.seen[e.ID]; ok {
			continue
		}
		if _, ok := stored[e.ID]; ok {
			continue
		}
		in.setLocked(e.ID, polled, false)
		fresh = append(fresh, e)
	}
	t := &track{cursor: b.Cursor, left: len(fresh) + others}
	t.key = trackKey{b.Cursor.Source, int64(b.Cursor.Peer)}
	if in.tracks == nil {
		in.tracks = map[trackKey][]*track{}
	}
	in.tracks[t.key] = append(in.tracks[t.key], t)
	return fresh, t, in.advanceLocked(t.key)
}

// noteLeft notes that an event has left its lane: it is handled or quarantined.
func (in *ingest) noteLeft(id event.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.setLocked(id, left, true)
}

// notePending notes that an event comes into its lane which is stored already; false when it was there.
func (in *ingest) notePending(id event.ID) (isNew bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	_, there := in.seen[id]
	if !there {
		in.setLocked(id, left, false)
	}
	return !there
}

// notePersisted notes that an event of a batch is stored as pending, and returns the cursor that may be stored
// now, if any.
func (in *ingest) notePersisted(id event.ID, t *track) []record.Cursor {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.seen[id] == polled { //mutate:shelved
		in.setLocked(id, pending, false)
	}
	t.left--
	return in.advanceLocked(t.key)
}

// noteStored notes that one more event of a batch is stored, and returns the cursor that may be stored
// now, if any.
func (in *ingest) noteStored(t *track) []record.Cursor {
	in.mu.Lock()
	defer in.mu.Unlock()
	t.left--
	return in.advanceLocked(t.key)
}

// limitCursor keeps the cursor of a source from being stored above a number until the poller has set it back.
func (in *ingest) limitCursor(k trackKey, number int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.limits == nil {
		in.limits = map[trackKey]int64{}
	}
	if before, ok := in.limits[k]; ok {
		number = min(number, before)
	}
	in.limits[k] = number
}

// advanceLocked drops the batches of a source that are stored, oldest first, and returns the cursor of the
// last one of them.
func (in *ingest) advanceLocked(k trackKey) []record.Cursor {
	queue := in.tracks[k]
	var cursors []record.Cursor
	for len(queue) > 0 && queue[0].left == 0 { //mutate:cursor-advance
		next := queue[0].cursor
		if limit, ok := in.limits[k]; ok && next.Back {
			delete(in.limits, k) // the poller knows
		} else if ok {
			next.ID, next.Back = min(next.ID, limit), true
		}
		next.Back = next.Back || len(cursors) > 0 && cursors[0].Back // the last one goes on from there
		cursors = append(cursors[:0], next)
		queue = queue[1:]
	}
	if len(queue) == 0 {
		if delete(in.tracks, k); in.atRestLocked() {
			in.seen, in.tracks = nil, nil
		}
	} else {
		in.tracks[k] = queue
	}
	return cursors
}

// Deliver takes a batch of events from the account's poller; it blocks while the lanes are full.
func (a *account) Deliver(ctx context.Context, batch poll.Batch) error {
	b := a.bot
	if err := a.ingest.wait(ctx); err != nil {
		return err
	}
	if err := a.doubts.WaitForRoom(ctx); err != nil {
		return err
	}
	var stored map[event.ID]bool
	if ids := a.delivered.maybeStored(&batch); len(ids) > 0 {
		var err error
		if stored, err = b.store.StoredEvents(ctx, a.name, ids); err != nil {
			return fmt.Errorf("look for events that were stored before: %w", err)
		}
		if len(stored) > 0 {
			if err := a.delivered.CheckAgain(ctx, batch.Cursor.Source, batch.Events); err != nil {
				return err
			}
		}
	}
	unattributed, err := a.unattributedIn(ctx, &batch)
	if err != nil {
		return err
	}
	fresh, t, cursors := a.ingest.admitBatch(batch, stored, len(unattributed))
	if len(unattributed) > 0 {
		a.doubts.PutAside(batch.Cursor.Peer, unattributed, t, a.mayPrecedeCarefulStart(batch.Cursor.Peer), batch.SaidAt)
		a.judgeOwnMessages(ctx, batch.Cursor.Peer)
	}
	if err := a.storeCursors(ctx, cursors); err != nil {
		return err
	}
	for _, e := range fresh {
		if a.forgetful.isIgnored(e.Peer) { // it may be stored before its turn
			redactEvent(&e)
		}
		a.submitJob(&job{trigger: event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e}, track: t})
	}
	return nil
}

// unattributedIn returns the own messages of a batch that the bot has not sent, as far as is known.
func (a *account) unattributedIn(ctx context.Context, batch *poll.Batch) ([]platform.Message, error) {
	own, err := a.unlistedMessages(ctx, a.doubts.FilterUnknown(batch.Own))
	if err != nil || len(own) == 0 {
		return nil, err
	}
	if err := a.hasRenumbered(ctx, batch.Cursor.Peer, own, batch.Events); err != nil || a.careful.isRenumbered() { //mutate:renumbered
		return own, err
	}
	return a.withoutOdd(ctx, own)
}

// storeCursors stores cursors with any later commit. Two kinds are stored when keep returns: the first one of a source,
// since a crash must not make the poller begin anew, behind what came meanwhile; and what a chat's backlog is at
// a first start, since that is read next, and may not be unread any more then.
func (a *account) storeCursors(ctx context.Context, cursors []record.Cursor) error {
	if len(cursors) == 0 {
		return nil
	}
	a.bot.store.QueueCursors(cursors...)
	for _, c := range cursors {
		backlog := c.Source == event.Messages && c.Peer != 0 && c.ID == 0 //mutate:backlog
		if !backlog && (a.begun[c.Source].Load() || c.Peer != 0) {
			continue
		}
		// Pollers of other accounts may wait for the same commit.
		ctx := a.bot.yield(ctx, a, func() string { return fmt.Sprintf("keep %v %d", c.Source, c.Peer) })
		if err := a.bot.store.MarkNow(ctx); err != nil {
			return fmt.Errorf("store where the source %v begins: %w", c.Source, err)
		}
		if c.Peer == 0 {
			a.begun[c.Source].Store(true)
		}
	}
	return nil
}

// noteFinished notes that an item's trigger is stored as handled, or quarantined.
func (b *Bot) noteFinished(a *account, j *job) {
	switch j.trigger.Kind {
	case event.ByTimer:
		b.timers.done(b.timers.ofAccount(a), &j.trigger.Timer)
	case event.ByRequest:
		a.requests.done(j.trigger.Request)
		a.noteGranted(j.trigger.Request)
		a.forgetful.done(j.trigger.Request)
		a.tookOver(&j.trigger)
	case event.ByEvent:
		a.ingest.noteLeft(j.trigger.Event.ID)
		a.deliveries.giveBack(j.room)
	case event.ByNudge:
	}
	if j.track == nil {
		return
	}
	if cursors := a.ingest.noteStored(j.track); len(cursors) > 0 {
		b.store.QueueCursors(cursors...)
	}
}

// queuePendingEvents puts the events that an earlier incarnation stored and did not handle into their lanes.
func (a *account) queuePendingEvents(ctx context.Context) error {
	pending, err := a.bot.store.PendingEvents(ctx, a.name, 0, maxPending)
	if err != nil {
		return err
	}
	for i := range pending {
		a.queuePendingEvent(&pending[i])
	}
	return nil
}

// queuePendingEvent puts an event that is stored as pending into its lane.
func (a *account) queuePendingEvent(p *store.PendingEvent) {
	isNew := a.ingest.notePending(p.ID)
	j := &job{trigger: event.Trigger{Kind: event.ByEvent, Key: p.Key(), Event: p.Event, Late: p.Late}, tries: p.Tries}
	if p.ID.Source == event.Deliveries {
		if !isNew { // a request has delivered it just now
			return
		}
		j.room = a.deliveries.takeRoom(&p.Event)
	}
	a.submitJob(j)
}

const maxPending = 1 << 20
