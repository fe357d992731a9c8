package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/platform"
)

// orderingKey names a row of actions that happen one after another: the messages of a conversation, the
// replies below a post, the posts of the account's own page, the calls of a verb on one target. A row
// is all that can be mistaken for one another when it is read back.
type orderingKey struct {
	verb event.Verb
	id   int64
}

func keyOf(a *event.Action) orderingKey {
	switch a.Verb {
	case event.VerbRenew: // a call of one may undo the other's
		return orderingKey{event.VerbRepost, int64(a.Post)}
	case event.VerbPost, event.VerbLike, event.VerbRepost, event.VerbDeletePost:
		return orderingKey{a.Verb, int64(a.Post)}
	case event.VerbFollow:
		return orderingKey{a.Verb, int64(a.User)}
	case event.VerbDeleteMessage:
		return orderingKey{a.Verb, int64(a.Message)}
	case event.VerbMessage, event.VerbBooks: // the latter never comes here
	}
	return orderingKey{a.Verb, int64(a.Peer)}
}

// delivery is an action on its way.
type delivery struct {
	event.Action
	inDoubt         bool          // it may have happened: reconcile it before anything else
	gaveUp          time.Time     // when its last request was, at the latest
	aged            bool          // the store may have an age of it
	undoneAt        time.Time     // when a renewal took its repost back; zero: what the platform shows is later than that
	waited          time.Duration // for how long it has not got on although the platform could be asked
	failed          time.Time     // when that was last noted, by breaker.clock
	unnamed         bool          // the answer to its last request had no code, and did not name what it made
	denied          bool          // it was not authorised then
	allowed         time.Duration // waited, when that began
	ticket          int           // see breaker.ticket
	earlier         bool          // an earlier incarnation began it; it may have been taken back since
	old             bool          // it may have been decided long before DecidedAt, and released then
	looked          time.Time     // when what it answers was last looked at; zero: in its turn
	stood           *stood        // the last stop before that; another one now: it has waited in a stop since
	owed            bool          // what it has undone has to be put right: its latest departure does not count
	crowded         bool          // others are published too close to it, or too many: it goes back to the store
	slot            recorder.Slot // where its request is recorded; 0 when none of it can be on its way
	baselineUnknown bool          // where it is reconciled from is not stored: there, it has not left
	due             int64         // since when it is due, in Unix microseconds; it belongs to Account.mu
	from            int64         // what it makes has a higher id; 0: not known. It is never lowered, and belongs to Account.mu
}

// queue is a row of items; a goroutine works on it as long as it has any. Its fields belong to
// Account.mu, the items themselves to that goroutine.
type queue struct {
	key      orderingKey
	items    []*delivery
	running  bool
	reserved int           // actions on their way into the store, to be queued then
	writing  int           // actions on their way into the store, to stay there as due
	released int           // actions that the fetcher takes out of the store, to be queued then
	doubtful bool          // whether the store has those as sending that the fetcher took last, nobody knows
	known    int64         // highest id known on the platform before the next request
	lowWater int64         // below it may be something of its own whose id is not known
	blind    bool          // so may be above it: known and low-water mark tell too little
	unclear  bool          // something of it is on its way or in doubt
	stuck    bool          // its head does not get on; those behind it do not count as sending
	failures int           // calls in a row that failed, by what may be a fault of its own
	answers  int           // Account.answers when the first of them did
	odd      bool          // others have had answers since: the fault is its own
	waits    bool          // for the breaker, without having failed: see breaker.untried
	admitted int           // the ticket with which it was let through the breaker
	vacancy  chan struct{} // a turn waits until it is less full
}

// queueLocked returns the queue of an action, new if need be.
func (b *Account) queueLocked(a *event.Action) *queue {
	k := keyOf(a)
	q := b.queues[k]
	if q == nil {
		q = &queue{key: k}
		q.lowWater, q.blind = b.beginningLocked(k)
		b.queues[k] = q
	}
	return q
}

// forgetLocked drops a queue that nobody needs.
func (b *Account) forgetLocked(q *queue) {
	if !q.running && q.reserved+q.writing+q.released == 0 {
		delete(b.queues, q.key)
	}
}

// fullLocked reports whether a queue takes no action on top of more.
func (b *Account) fullLocked(q *queue, more int) bool {
	return len(q.items)+q.reserved+q.released+more >= b.dispatcher.cfg.Window
}

// ticketLocked returns what an action that comes into a queue holds; see breaker.ticket.
func (b *Account) ticketLocked(q *queue) int {
	if q.stuck {
		return 0
	}
	return b.breaker.ticket()
}

// pushLocked puts an item at the end of its queue and starts the queue; surrender must follow.
func (b *Account) pushLocked(ctx context.Context, q *queue, it *delivery) {
	if !q.running && b.workers.Begin() {
		q.running = true
		go b.run(ctx, q)
	}
	it.from, it.due = it.ReconcileFrom, it.Due.UnixMicro()
	q.items = append(q.items, it)
	q.known = max(q.known, it.ReconcileFrom)
	if !q.stuck {
		b.sending++
	}
	if it.inDoubt {
		q.unclear = true
		b.stickLocked(q)
	}
}

// stickLocked notes that the head of a queue does not get on: others need not wait for it.
func (b *Account) stickLocked(q *queue) {
	if !q.stuck {
		q.stuck = true
		b.sending -= len(q.items)
		b.vacateLocked(q)
		b.freedLocked()
	}
}

// popLocked takes the head out of its queue.
func (b *Account) popLocked(q *queue) {
	b.space.land(q.items[0].Key)
	delete(b.ages, q.items[0])
	q.items[0] = nil
	q.items = q.items[1:]
	if !q.stuck {
		b.sending--
	} else if len(q.items) == 0 || !q.items[0].inDoubt {
		q.stuck = false
		b.sending += len(q.items)
	}
	b.vacateLocked(q)
	b.freedLocked()
}

// run works through a queue until it is empty.
func (b *Account) run(ctx context.Context, q *queue) {
	defer b.workers.End()
	ctx = b.yield(ctx, q)
	for {
		it := b.head(q)
		switch {
		case it == nil:
			return
		// What is over comes before the stop: its end is stored once more, or the next incarnation would look for it on the platform.
		case it.State.Final() || it.State == event.StateHeld:
			if !b.end(ctx, q, it) {
				b.abandon(ctx, q)
				return
			}
		case ctx.Err() != nil || b.workers.Stopped():
			b.abandon(ctx, q)
			return
		case it.inDoubt:
			b.reconcile(ctx, q)
			if it.State == event.StateSending && !it.inDoubt {
				b.clear(q)
			}
		case it.undone() && !b.mayGo(it): // it stays on its way
			if !b.workers.Sleep(ctx, lookAgain) {
				b.abandon(ctx, q)
				return
			}
		case !b.mayGo(it) || it.crowded:
			if !b.putBack(ctx, q) {
				b.abandon(ctx, q)
				return
			}
		default:
			b.carry(ctx, q, it)
		}
	}
}

// head returns the queue's first item; without any, the queue comes to rest.
func (b *Account) head(q *queue) *delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(q.items) > 0 {
		return q.items[0]
	}
	q.running = false
	b.forgetLocked(q)
	return nil
}

// end stores how an item ended and goes on to the next. Done is stored lazily: after a crash it is
// found again by reading. Any other end must be known before the next action of the queue leaves. It
// reports false when the account outbox ends first.
func (b *Account) end(ctx context.Context, q *queue, it *delivery) bool {
	it.EndedAt = time.Now()
	marks := []Mark{b.markOf(it)}
	marks[0].Recorded = it.slot
	b.published(it, &marks[0])
	left := it.ReconcileFrom > 0 || it.ReconcileFrom == baselineUnread
	odd := b.odd(it.Verb, it.Result) // it is there, and nobody knows under which id
	if it.Verb == event.VerbPost && it.Result > 0 {
		b.sawPosts(it.Result)
	}
	blind := left && (it.State == event.StateHeld || it.State == event.StateDone && (it.Result == 0 || odd)) //mutate:guess
	if blind {
		marks = append(marks, b.dropBaseline(q)...)
	}
	if it.State == event.StateDone {
		// With its marks behind it: the copy of the head may be found by what follows, unless that gets another baseline in the same commit.
		b.dispatcher.cfg.Ledger.Mark(marks...)
	} else if !b.markNow(ctx, marks...) {
		return false
	}
	if !b.remember(ctx) {
		return false
	}
	//mutate:ended-told
	b.dispatcher.cfg.Ended(it.Action) // before Busy says that it is over
	b.mu.Lock()
	b.popLocked(q)
	b.forgetDebtLocked(it)
	if it.State == event.StateHeld && !it.Until.IsZero() {
		b.dateAtLocked(ctx, it.Until)
	}
	b.keepHeldLocked(&it.Action)
	if !odd {
		q.known = max(q.known, it.Result)
	}
	// Something of the account's own is there under an id that nobody knows, and may look like what comes into this queue next.
	q.blind = q.blind || blind
	now := q.clearedLocked()
	b.mu.Unlock()
	b.tellClear(q, now)
	return true
}

// markNow stores marks for certain; while the store refuses it tries again. It reports false when
// the account outbox ends first.
func (b *Account) markNow(ctx context.Context, marks ...Mark) bool {
	return b.insist(ctx, func() error { return b.dispatcher.cfg.Ledger.MarkNow(ctx, marks...) })
}

// insist stores something, again and again while the store refuses it.
func (b *Account) insist(ctx context.Context, store func() error) bool {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		if store() == nil {
			return true
		}
		if !b.workers.Sleep(ctx, pause) {
			return false
		}
	}
}

// abandon ends a queue that may not go on.
func (b *Account) abandon(ctx context.Context, q *queue) {
	b.mu.Lock()
	items := slices.Clone(q.items)
	b.mu.Unlock()
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookAgain) // a store that is away must not hold a stop up
	defer cancel()
	for _, it := range items {
		b.tookBack(looking, it)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	q.running = false
	b.surrenderLocked(q)
}

// surrenderLocked gives back what a queue holds that may not go on. As long as the store may come to have
// something as sending that is behind it, it must not: after a crash that would leave first.
func (b *Account) surrenderLocked(q *queue) {
	if q.running || q.reserved+q.released > 0 { //mutate:surrender
		return
	}
	for _, it := range q.items {
		b.storeAgeLocked(it) //mutate:age-stop
		delete(b.ages, it)
	}
	if !q.doubtful {
		var behind time.Time
		for _, it := range slices.Backward(q.items) {
			b.giveBack(it, &behind)
		}
	}
	if !q.stuck {
		b.sending -= len(q.items)
	}
	q.items, q.stuck = nil, false
	b.forgetLocked(q)
}

// giveBack makes an item that never left due again, so that the next incarnation need not look for it: before
// what was not released yet, although that may be more urgent or have a lower position, and before what was
// behind it. What is in doubt stays as it is stored.
func (b *Account) giveBack(it *delivery, behind *time.Time) {
	switch {
	case it.State == event.StateDone, it.State == event.StateWithdrawn:
	case it.undone(): // the next incarnation looks how it stands
		return
	case it.State == event.StateSending && !it.inDoubt:
		Enter(&it.Action, event.StateDue)
		it.stayed()
		it.Priority, it.Due = event.Answer, it.Due.Add(-time.Microsecond) //mutate:surrender-due
		if !behind.IsZero() && behind.Before(it.Due) {
			it.Due = *behind
		}
		*behind = it.Due
		if it.baselineUnknown {
			it.ReconcileFrom = 0
		}
	default:
		return
	}
	m := b.markOf(it)
	m.Recorded = it.slot
	b.dispatcher.cfg.Ledger.Mark(m)
}

// tookBack withdraws what has not left and was taken back since it was decided, before it is given back: once it is due again, nobody looks.
func (b *Account) tookBack(ctx context.Context, it *delivery) {
	if it.State != event.StateSending || it.inDoubt || it.undone() {
		return
	}
	reason, err := b.cfg.Revoked(ctx, &it.Action, it.earlier)
	if err != nil || reason == "" { //mutate:surrender-taken
		return
	}
	it.takenBack(reason)
	it.EndedAt = time.Now()
	b.dispatcher.cfg.Ended(it.Action)
}

// fullPeersLocked returns the conversations whose messages have to stay in the store.
func (b *Account) fullPeersLocked() map[platform.UserID]bool {
	var peers map[platform.UserID]bool
	for k, q := range b.queues {
		if k.verb == event.VerbMessage && b.fullLocked(q, 0) {
			add(&peers, platform.UserID(k.id))
		}
	}
	return peers
}
