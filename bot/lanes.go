package bot

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// idleLanes is how many lanes are remembered with their conversation, to spare reading it: of all accounts together.
const idleLanes = 10_000

// lanes are those of an account, by the peer of their conversation. They alone take one in, and forget one. A lane tells by itself where
// it stands, so that who looks at many of them waits for none.
type lanes struct {
	count *atomic.Int64 // of all accounts

	mu sync.Mutex // guards the fields below
	of map[platform.UserID]*lane
}

// lockLane returns the lane of a conversation, locked, for something to be put into it.
func (a *account) lockLane(key event.Key) *lane {
	a.lanes.mu.Lock()
	defer a.lanes.mu.Unlock()
	l := a.lanes.of[key.Peer]
	if l == nil {
		a.lanes.forgetIdleLocked()
		l = &lane{key: key, account: a}
		if a.lanes.of == nil {
			a.lanes.of = map[platform.UserID]*lane{}
		}
		a.lanes.of[key.Peer] = l
		a.lanes.count.Add(1)
	}
	l.mu.Lock()
	if l.state() == laneIdle { // before the lanes are given back, so that it is not forgotten in between
		l.enterLocked(laneWaiting) //mutate:lane-kept
	}
	return l
}

// lookup returns the lane of a conversation; nil when there is none.
func (ls *lanes) lookup(peer platform.UserID) *lane {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.of[peer]
}

// each calls f with each lane.
func (ls *lanes) each(f func(l *lane)) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.of {
		f(l)
	}
}

// forgetIdleLocked makes room for a new lane.
func (ls *lanes) forgetIdleLocked() {
	looks := 8
	for peer, l := range ls.of {
		if ls.count.Load() < idleLanes || looks == 0 {
			return
		}
		looks--
		if l.state() == laneIdle {
			delete(ls.of, peer)
			ls.count.Add(-1)
		}
	}
}

// clear forgets all of them.
func (ls *lanes) clear() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.count.Add(-int64(len(ls.of)))
	ls.of = nil
}

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

// activeSoon is how soon something of an account must come due for the account to be active.
const activeSoon = time.Minute

// flowsLooked is how many conversations are looked at for a flow.
const flowsLooked = 16

// IsActive reports whether something goes on with an account, beside what was read lately: a timer rings, something is to leave soon, or
// a conversation is in the middle of a flow.
func (a *account) IsActive() bool {
	a.timers.mu.Lock()
	rings := a.timers.ahead > 0
	a.timers.mu.Unlock()
	return rings || a.outbox.AtWork(activeSoon) || a.lanes.inFlow()
}

// inFlow reports whether a conversation is in the middle of a flow, as far as a short look tells.
func (ls *lanes) inFlow() bool {
	looks := flowsLooked
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.of {
		if looks--; looks < 0 {
			return false
		}
		if conv := l.conv.Load(); conv != nil && conv.Flow.Flow != "" {
			return true
		}
	}
	return false
}
