package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Reservation is the room that the actions of a turn have in the outbox while their commit is under way. It ends once: with Commit, which puts them
// into their queues or leaves them to the fetcher, or with GiveBack.
type Reservation struct {
	account  *Account       // nil once it has ended
	actions  []event.Action // the caller's: what may leave at once is sending, the rest due
	unpaid   []int          // indexes of those without a token, since their queue did not get on
	released []int          // indexes of those that an earlier turn has decided: a person has released them
}

// Reserve decides for each of a turn's new actions whether it may leave at once, and sets its State, Due and Position: sending when it
// may, due otherwise. Reservations with actions of one queue must be committed in the order in which they were made.
func (a *Account) Reserve(actions []event.Action, now time.Time) Reservation {
	r := Reservation{account: a, actions: actions}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reservations++
	for i := range actions {
		action := &actions[i]
		if action.State == event.StateHeld || action.State.Final() { // the turn has decided it
			continue
		}
		if action.State == event.StateDue { //mutate:by-hand-released
			r.released = append(r.released, i)
		}
		timed := action.Due.After(now)
		a.lastDue = a.storeTimeLocked(now)
		// Time and position are drawn under one lock: what is stored as due leaves in their order, which is the one in which turns have reserved.
		action.DecidedAt, action.Position = a.lastDue, a.dispatcher.cfg.Ledger.NextPosition()
		if timed { // it waits for that time, also when the clock said something else before
			action.DecidedAt = now.Round(0)
		} else {
			action.Due = action.DecidedAt
		}
		r.reserveLocked(i, timed, now)
	}
	return r
}

// reserveLocked takes room for an action: in its queue, to be queued with the commit, or in the store, to be due then.
func (r *Reservation) reserveLocked(i int, timed bool, now time.Time) {
	a, action := r.account, &r.actions[i]
	q := a.queueLocked(action)
	may, paid := false, false
	if !timed {
		may, paid = a.mayQueueLocked(q, action, now)
	}
	if !may { // it goes to the store, and all that comes behind it in this queue has to, too, or would overtake it: writing says so
		ChangeState(action, event.StateDue)
		q.writing++
		return
	}
	if !paid { //mutate:reserve-unpaid
		r.unpaid = append(r.unpaid, i)
	}
	ChangeState(action, event.StateSending)
	// Stored with the turn, before anything can leave: after a crash it counts as on its way, and is looked for.
	action.LeftAt = now
	// Counted from here on, or turns that decide while this commit is under way would take the same room.
	q.reserved++
	a.sending++
}

// mayQueueLocked reports whether an action that is being decided is queued at once, and takes its token then. What only concerns its queue delays no
// other; what concerns the account makes everything new wait its turn in the store. In a queue that does not get on, it has no token: it pays when it
// leaves.
func (a *Account) mayQueueLocked(q *queue, action *event.Action, now time.Time) (may, paid bool) {
	switch {
	case a.workers.IsStopped() || q.writing > 0 || a.fullLocked(q, 0) || a.stored.hasBefore(action),
		a.isLimited(action): // the fetcher looks at what was published before
		return false, false
	case a.behindLocked(now) || a.sending >= a.mostSending:
		// From here on everything new goes through the store, until the fetcher has caught up: it would overtake what waits there.
		a.stored.all = true
		return false, false
	}
	a.setBaselineLocked(q, action)
	if q.stuck {
		return true, false
	}
	_, by := a.pace.takeToken(action, now)
	a.stored.all = by == byAccount
	return by == byNothing, true
}

// behindLocked reports whether something of the account waits for the pace, for room, or for the platform to
// come back, or whether something came due that the fetcher has not seen yet.
func (a *Account) behindLocked(now time.Time) bool {
	return a.stored.all || a.halted.Load() || a.early.Load() || a.breaker.open || a.stored.unseenAt(a.storeTimeLocked(now))
}

// Commit lets the actions go on: their turn is stored. The context is that of the account outbox's whole lifetime.
func (r *Reservation) Commit(ctx context.Context) {
	a := r.lockAndEnd()
	defer a.mu.Unlock()
	for i := range r.actions {
		action := &r.actions[i]
		if !action.Until.IsZero() && !action.State.Final() {
			a.dateAtLocked(ctx, action.Until)
		}
		switch action.State {
		case event.StateSending:
			q := a.queueLocked(action)
			a.arriveLocked(q)
			d := &delivery{Action: *action, stood: a.sinceStop(action.Position)}
			if !slices.Contains(r.released, i) {
				d.looked = action.DecidedAt
			}
			a.enqueueLocked(ctx, q, d, !slices.Contains(r.unpaid, i))
			a.wakeLocked() // it may wait for this queue
		case event.StateDue:
			q := a.queueLocked(action)
			q.writing--
			a.forgetLocked(q)
			a.written++
			a.dueAtLocked(action.Due, !a.stored.add(action))
			a.startFetcherLocked(ctx)
		default:
		}
	}
}

// GiveBack gives all room back: the turn is not stored.
func (r *Reservation) GiveBack() {
	a := r.lockAndEnd()
	defer a.mu.Unlock()
	for i := range r.actions {
		r.giveBackLocked(a, i)
	}
	a.freedLocked()
}

// WithdrawAction gives the room of one action back, which is withdrawn: its turn is stored without it.
func (r *Reservation) WithdrawAction(i int) {
	a := r.account
	a.mu.Lock()
	defer a.mu.Unlock()
	r.giveBackLocked(a, i)
	ChangeState(&r.actions[i], event.StateWithdrawn)
	r.actions[i].LeftAt = time.Time{}
	a.freedLocked()
}

// lockAndEnd ends the reservation, and locks its account. That a turn is enqueued twice, or after its room was given back, is a fault of the
// program which nothing else would show before an answer is missing, or doubled.
func (r *Reservation) lockAndEnd() *Account {
	a := r.account
	if a == nil {
		panic("outbox: a reservation ends once")
	}
	r.account = nil
	a.mu.Lock()
	a.reservations--
	return a
}

// giveBackLocked gives the room of one action back.
func (r *Reservation) giveBackLocked(a *Account, i int) {
	action := &r.actions[i]
	switch action.State {
	case event.StateSending:
		q := a.queueLocked(action)
		a.arriveLocked(q)
		a.abandonLocked(q)
	case event.StateDue:
		q := a.queueLocked(action)
		q.writing--
		a.forgetLocked(q)
	default:
	}
}

// arriveLocked ends what was reserved in a queue.
func (a *Account) arriveLocked(q *queue) {
	q.reserved--
	a.sending-- // enqueueLocked counts it again
}
