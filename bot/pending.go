package bot

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// persistPendingAfter is how long an event may wait for its turn before it is stored as pending. From then on
// the cursor need not wait for it, and a row that vanishes from the platform's list is not lost.
const persistPendingAfter = time.Second

// runPersisting stores events that wait, every now and then, until ctx is done.
func (b *Bot) runPersisting(ctx context.Context) {
	runEvery(ctx, persistPendingAfter, func() { b.persistPending(time.Now().Add(-persistPendingAfter)) })
}

// persistPending stores the events that came into their lanes before since and have not been decided.
func (b *Bot) persistPending(since time.Time) {
	b.eachAtWork(func(a *account) { a.persistPending(since) }) // nothing of an account is stored after its term
}

func (a *account) persistPending(since time.Time) {
	var busy []*lane
	a.lanes.each(func(l *lane) {
		if l.queueLength.Load() > 0 { // one that hands its last turn to the store is not waited for
			busy = append(busy, l)
		}
	})
	for _, l := range busy {
		if events, tracks := l.takeWaiting(since); len(events) > 0 {
			var cursors []record.Cursor
			for _, t := range tracks {
				cursors = append(cursors, t.withEvents()...)
			}
			a.bot.store.Commit(store.Write{Pending: events, Cursors: cursors, Done: func(r store.Receipt) { a.bot.persisted(l, events, tracks, r) }})
		}
	}
}

// takeWaiting takes the tracks of the events that wait since then: they are on their way to be stored. Those
// decided are among them as long as they are not stored either, and there is none while others are on their
// way: what waits is stored with all before it, or it would go ahead of that after a crash.
func (l *lane) takeWaiting(since time.Time) (events []event.Event, tracks []*track) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.persisting {
		return nil, nil
	}
	for _, jobs := range [][]*job{l.toRetry, l.inFlight, l.queue} { //mutate:persist
		for _, j := range jobs {
			if j.track != nil && j.trigger.Kind == event.ByEvent && j.since.Before(since) {
				events = append(events, j.trigger.Event)
				tracks = append(tracks, j.track)
				j.track = nil
			}
		}
	}
	l.persisting = len(events) > 0
	return events, tracks
}

// persisted notes that events are stored as pending. When they are not, their batches go on waiting
// for those that have not been decided meanwhile.
func (b *Bot) persisted(l *lane, events []event.Event, tracks []*track, r store.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.persisting = false
	for i, e := range events {
		if r.Err == nil || !l.trackLocked(e.ID, tracks[i]) {
			if cursors := l.account.ingest.notePersisted(e.ID, tracks[i]); len(cursors) > 0 {
				b.store.QueueCursors(cursors...)
			}
		}
	}
}

// trackLocked gives an event that is still in the lane its batch back; false when it is not.
func (l *lane) trackLocked(id event.ID, t *track) bool {
	for _, jobs := range [][]*job{l.queue, l.inFlight, l.toRetry} {
		for _, j := range jobs {
			if j.trigger.Kind == event.ByEvent && j.trigger.Event.ID == id {
				j.track = t
				return true
			}
		}
	}
	return false
}
