package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/platform"
)

// orderingKey names an ordered queue: the messages of a conversation, the replies below a post, the posts of the account's own page, the calls of a
// verb on one target. In one queue is all that can be mistaken for one another when it is read back.
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

// delivery is a queued action: an item of its ordered queue.
type delivery struct {
	event.Action

	// How it came into the queue.
	earlier bool      // an earlier incarnation began it; it may have been revoked since
	looked  time.Time // when what it answers was last looked at, in its turn or since; zero: nobody knows how long before DecidedAt
	stood   *stood    // the last stop before that; another one now: it has waited in a stop since
	ticket  int       // of its token, if that is taken already; see breaker.callTicket

	// What decides whether it may leave.
	crowded         bool          // others are published too close to it, or too many: it is put back
	owed            bool          // what it has undone has to be put right: its latest departure does not count
	baselineUnknown bool          // where it is reconciled from is not stored: there, it has not left
	waited          time.Duration // for how long it has not got on although the platform could be asked
	failed          time.Time     // when that was last noted, by breaker.askableTime
	denied          bool          // it was not authorised then
	allowed         time.Duration // waited, when that began

	// Its last request.
	slot     recorder.Slot // where it is recorded; 0 when none can be in flight
	gaveUp   time.Time     // when it was given up, at the latest
	unnamed  bool          // its answer had no code, and did not name what it made
	aged     bool          // the store may have an age of it
	undoneAt time.Time     // when a renewal took its repost back; zero: what the platform shows is later than that

	// These belong to Account.mu.
	due  int64 // since when it is due, in Unix microseconds
	from int64 // what it makes has a higher id; 0: not known. It is never lowered
}

// queue is the ordered queue of the actions of one key; a goroutine works on it as long as it has any. Its fields belong to Account.mu, the
// items themselves to that goroutine.
type queue struct {
	key      orderingKey
	items    []*delivery   // the first one is the head
	running  bool          // the goroutine is there
	inFlight bool          // the head is in flight or in doubt, or nobody was told yet what became of it
	stuck    bool          // the head does not get on; those behind it do not count as sending
	vacancy  chan struct{} // a turn waits until it is less full

	// How many more belong to it.
	reserved int  // their turns are being stored; they are queued then
	writing  int  // their turns are being stored; they are due then
	fetched  int  // the fetcher takes them out of the store; they are queued then
	unclear  bool // the fetcher's last commit is: nobody knows whether what it took is stored as sending

	// What is known of the platform before the next request: see setBaselineFor.
	known    int64 // the highest id
	lowWater int64 // below it may be something of its own whose id is not known
	blind    bool  // so may be above it: known and low-water mark tell too little

	// Its part in the breaker.
	failures int  // calls in a row that failed, by what may be a fault of its own
	answers  int  // Account.answers when the first of them did
	alone    bool // others have had answers since: the fault is its own
	waits    bool // for the breaker, without having failed: see breaker.untried
	admitted int  // the ticket with which it was let through the breaker
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
	if !q.running && q.reserved+q.writing+q.fetched == 0 {
		delete(a.queues, q.key)
	}
}

// fullLocked reports whether a queue takes no action on top of more.
func (a *Account) fullLocked(q *queue, more int) bool {
	return len(q.items)+q.reserved+q.fetched+more >= a.dispatcher.cfg.Window
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
		q.inFlight = true
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
	delete(a.space.upcoming, q.items[0].Key)
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

// headItem returns the queue's first item; without any, the queue comes to rest.
func (a *Account) headItem(q *queue) *delivery {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(q.items) > 0 {
		return q.items[0]
	}
	q.running = false
	a.forgetLocked(q)
	return nil
}

// abandonQueue ends a queue that may not go on: the account outbox has ended.
func (a *Account) abandonQueue(ctx context.Context, q *queue) {
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
	if q.running || q.reserved+q.fetched > 0 { //mutate:abandon-queue
		return
	}
	for _, d := range q.items {
		a.storeAgeLocked(d) //mutate:age-stop
		delete(a.ages, d)
	}
	if !q.unclear {
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
