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
	gaveUp          time.Time     // when its last request was, at the latest
	aged            bool          // the store may have an age of it
	undoneAt        time.Time     // when a renewal took its repost back; zero: what the platform shows is later than that
	waited          time.Duration // for how long it has not got on although the platform could be asked
	failed          time.Time     // when that was last noted, by breaker.askableTime
	unnamed         bool          // the answer to its last request had no code, and did not name what it made
	denied          bool          // it was not authorised then
	allowed         time.Duration // waited, when that began
	ticket          int           // see breaker.callTicket
	earlier         bool          // an earlier incarnation began it; it may have been taken back since
	looked          time.Time     // when what it answers was last looked at, in its turn or since; zero: nobody knows how long before DecidedAt
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
func (a *Account) queueLocked(action *event.Action) *queue {
	k := keyOf(action)
	q := a.queues[k]
	if q == nil {
		q = &queue{key: k}
		q.lowWater, q.blind = a.beginningLocked(k)
		a.queues[k] = q
	}
	return q
}

// forgetLocked drops a queue that nobody needs.
func (a *Account) forgetLocked(q *queue) {
	if !q.running && q.reserved+q.writing+q.released == 0 {
		delete(a.queues, q.key)
	}
}

// fullLocked reports whether a queue takes no action on top of more.
func (a *Account) fullLocked(q *queue, more int) bool {
	return len(q.items)+q.reserved+q.released+more >= a.dispatcher.cfg.Window
}

// enqueueLocked puts an item at the end of its queue and starts the queue. Its token is taken already if it is paid; where the head does not get
// on, it pays when it leaves. If the account outbox has ended, nobody works on the queue, and what it has is due again.
func (a *Account) enqueueLocked(ctx context.Context, q *queue, d *delivery, paid bool) {
	if !q.running && a.workers.Begin() {
		q.running = true
		go a.run(ctx, q)
	}
	if paid && !q.stuck {
		d.ticket = a.breaker.callTicket()
	}
	d.from, d.due = d.ReconcileFrom, d.Due.UnixMicro()
	q.items = append(q.items, d)
	q.known = max(q.known, d.ReconcileFrom)
	if !q.stuck {
		a.sending++
	}
	if d.State == event.StateInDoubt {
		q.unclear = true
		a.stickLocked(q)
	}
	a.abandonLocked(q)
}

// stickLocked notes that the head of a queue does not get on: others need not wait for it.
func (a *Account) stickLocked(q *queue) {
	if !q.stuck {
		q.stuck = true
		a.sending -= len(q.items)
		a.vacateLocked(q)
		a.freedLocked()
	}
}

// popLocked takes the head out of its queue.
func (a *Account) popLocked(q *queue) {
	delete(a.space.inFlight, q.items[0].Key)
	delete(a.ages, q.items[0])
	q.items[0] = nil
	q.items = q.items[1:]
	if !q.stuck {
		a.sending--
	} else if len(q.items) == 0 || q.items[0].State != event.StateInDoubt {
		q.stuck = false
		a.sending += len(q.items)
	}
	a.vacateLocked(q)
	a.freedLocked()
}

// run works through a queue until it is empty.
func (a *Account) run(ctx context.Context, q *queue) {
	defer a.workers.End()
	ctx = a.yield(ctx, q)
	for {
		d := a.head(q)
		switch {
		case d == nil:
			return
		// What is over comes before the stop: its end is stored once more, or the next incarnation would look for it on the platform.
		case d.State.Final() || d.State == event.StateHeld:
			if !a.end(ctx, q, d) {
				a.abandon(ctx, q)
				return
			}
		case ctx.Err() != nil || a.workers.IsStopped():
			a.abandon(ctx, q)
			return
		case d.State == event.StateInDoubt:
			a.reconcile(ctx, q)
			if d.State == event.StateSending {
				a.clear(q)
			}
		default:
			a.carryHead(ctx, q, d)
		}
	}
}

// head returns the queue's first item; without any, the queue comes to rest.
func (a *Account) head(q *queue) *delivery {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(q.items) > 0 {
		return q.items[0]
	}
	q.running = false
	a.forgetLocked(q)
	return nil
}

// end stores how an item ended and goes on to the next. Done is stored lazily: after a crash it is
// found again by reading. Any other end must be known before the next action of the queue leaves. It
// reports false when the account outbox ends first.
func (a *Account) end(ctx context.Context, q *queue, d *delivery) bool {
	d.EndedAt = time.Now()
	marks := []Mark{a.markOf(d)}
	marks[0].Recorded = d.slot
	a.notePublished(d, &marks[0])
	left := d.ReconcileFrom > 0 || d.ReconcileFrom == baselineUnread
	odd := a.isOddID(d.Verb, d.Result) // it is there, and nobody knows under which id
	if d.Verb == event.VerbPost && d.Result > 0 {
		a.sawPosts(d.Result)
	}
	blind := left && (d.State == event.StateHeld || d.State == event.StateDone && (d.Result == 0 || odd)) //mutate:guess
	if blind {
		marks = append(marks, a.dropBaseline(q)...)
	}
	if d.State == event.StateDone {
		// With its marks behind it: the copy of the head may be found by what follows, unless that gets another baseline in the same commit.
		a.dispatcher.cfg.Ledger.QueueMarks(marks...)
	} else if !a.markNow(ctx, marks...) {
		return false
	}
	if !a.storeLearned(ctx) {
		return false
	}
	//mutate:ended-told
	a.dispatcher.cfg.Listener.ActionEnded(d.Action) // before Busy says that it is over
	a.mu.Lock()
	a.popLocked(q)
	a.forgetDebtLocked(d)
	if d.State == event.StateHeld && !d.Until.IsZero() {
		a.dateAtLocked(ctx, d.Until)
	}
	a.keepHeldLocked(&d.Action)
	if !odd {
		q.known = max(q.known, d.Result)
	}
	// Something of the account's own is there under an id that nobody knows, and may look like what comes into this queue next.
	q.blind = q.blind || blind
	a.mu.Unlock()
	a.clear(q)
	return true
}

// markNow stores marks for certain; while the store refuses it tries again. It reports false when
// the account outbox ends first.
func (a *Account) markNow(ctx context.Context, marks ...Mark) bool {
	return a.storeUntilDone(ctx, func() error { return a.dispatcher.cfg.Ledger.MarkNow(ctx, marks...) })
}

// storeUntilDone stores something, again and again while the store refuses it.
func (a *Account) storeUntilDone(ctx context.Context, store func() error) bool {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		if store() == nil {
			return true
		}
		if !a.workers.Sleep(ctx, pause) {
			return false
		}
	}
}

// abandon ends a queue that may not go on: the account outbox has ended.
func (a *Account) abandon(ctx context.Context, q *queue) {
	a.mu.Lock()
	items := slices.Clone(q.items)
	a.mu.Unlock()
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookAgain) // a store that is away must not hold a stop up
	defer cancel()
	for _, d := range items { // once it is due again, nobody looks
		if d.State == event.StateSending && !d.hasUndone() {
			_, _ = a.withdrawRevoked(looking, d)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	q.running = false
	a.abandonLocked(q)
}

// abandonLocked puts back what a queue holds on which nobody works, and never will. As long as the store may come to have something as sending
// that is behind it, it must not: after a crash that would leave first.
func (a *Account) abandonLocked(q *queue) {
	if q.running || q.reserved+q.released > 0 { //mutate:abandon-queue
		return
	}
	for _, d := range q.items {
		a.storeAgeLocked(d) //mutate:age-stop
		delete(a.ages, d)
	}
	if !q.doubtful {
		var behind time.Time
		for _, d := range slices.Backward(q.items) {
			a.putBack(d, &behind)
		}
	}
	if !q.stuck {
		a.sending -= len(q.items)
	}
	q.items, q.stuck = nil, false
	a.forgetLocked(q)
}

// putBack makes an item that never left due again, so that the next incarnation need not look for it: before what has stayed in the store, although
// that may be more urgent or have a lower position, and before what was behind it. What is in doubt stays as it is stored.
func (a *Account) putBack(d *delivery, behind *time.Time) {
	switch {
	case d.State == event.StateDone, d.State == event.StateWithdrawn:
	case d.hasUndone(): // the next incarnation looks how it stands
		return
	case d.State == event.StateSending:
		ChangeState(&d.Action, event.StateDue)
		d.noteStayed()
		d.Priority, d.Due = event.Answer, d.Due.Add(-time.Microsecond) //mutate:put-back-due
		if !behind.IsZero() && behind.Before(d.Due) {
			d.Due = *behind
		}
		*behind = d.Due
		if d.baselineUnknown {
			d.ReconcileFrom = 0
		}
	default:
		return
	}
	m := a.markOf(d)
	m.Recorded = d.slot
	a.dispatcher.cfg.Ledger.QueueMarks(m)
}

// fullPeersLocked returns the conversations whose messages have to stay in the store.
func (a *Account) fullPeersLocked() map[platform.UserID]bool {
	var peers map[platform.UserID]bool
	for k, q := range a.queues {
		if k.verb == event.VerbMessage && a.fullLocked(q, 0) {
			add(&peers, platform.UserID(k.id))
		}
	}
	return peers
}
