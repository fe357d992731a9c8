package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/platform"
)

// Reservation is the room that the actions of a turn have in the outbox while their commit is under way. It ends once: with Commit, or
// with GiveBack.
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
		r.takeLocked(i, timed, now)
	}
	return r
}

// takeLocked takes room for an action: in its queue, to leave at once, or in the store.
func (r *Reservation) takeLocked(i int, timed bool, now time.Time) {
	a, action := r.account, &r.actions[i]
	q := a.queueLocked(action)
	may, paid := false, false
	if !timed {
		may, paid = a.takeRoomLocked(q, action, now)
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

// room keeps turns from deciding faster than the dispatcher can carry: a turn enters before it runs and
// leaves when its actions are reserved. Without it, a rush would be written as due and read again,
// at three times the cost.
type room struct {
	inside  int
	waiting []chan struct{}
}

// patienceForRoom is how long a turn waits for room. After that it runs all the same: its actions
// wait in the store.
const patienceForRoom = 2 * time.Second

// WaitForRoom waits for room for the actions of a turn of the conversation with peer. LeaveRoom must follow.
func (a *Account) WaitForRoom(ctx context.Context, peer platform.UserID) {
	a.mu.Lock()
	if vacancy := a.vacancyLocked(peer); vacancy != nil {
		a.mu.Unlock()
		a.waitFor(ctx, vacancy)
		a.mu.Lock()
	}
	// Nobody passes those who wait: their lanes have been standing for longer.
	if a.hasRoomLocked() && len(a.turns.waiting) == 0 {
		a.turns.inside++
		a.mu.Unlock()
		return
	}
	ticket := make(chan struct{})
	a.turns.waiting = append(a.turns.waiting, ticket)
	a.mu.Unlock()

	if a.waitFor(ctx, ticket) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select { // the one that let it in has counted it, so it must not be counted twice
	case <-ticket:
	default:
		a.turns.inside++
		for i, w := range a.turns.waiting {
			if w == ticket {
				a.turns.waiting = append(a.turns.waiting[:i], a.turns.waiting[i+1:]...)
				break
			}
		}
	}
}

// waitFor waits for c as long as a turn may wait; it reports whether c came.
func (a *Account) waitFor(ctx context.Context, c <-chan struct{}) bool {
	return lifecycle.Wait(ctx, patienceForRoom, c, a.workers.Stopping()) == lifecycle.Signalled
}

// vacancyLocked returns a channel that is closed when the conversation's messages have been carried to half
// the window; nil when there is room now.
func (a *Account) vacancyLocked(peer platform.UserID) <-chan struct{} {
	q := a.queues[orderingKey{event.VerbMessage, int64(peer)}]
	if q == nil || q.stuck || !a.fullLocked(q, 0) {
		return nil
	}
	if q.vacancy == nil {
		q.vacancy = make(chan struct{})
	}
	return q.vacancy
}

// vacateLocked lets the turn in that waits for a queue.
func (a *Account) vacateLocked(q *queue) {
	if q.vacancy != nil && (q.stuck || !a.fullLocked(q, a.dispatcher.cfg.Window/2)) {
		close(q.vacancy)
		q.vacancy = nil
	}
}

// LeaveRoom ends what WaitForRoom began.
func (a *Account) LeaveRoom() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns.inside--
	a.letInLocked()
}

// hasRoomLocked reports whether a turn may decide. Where the pace or an outage is the limit, waiting for room
// is no use.
func (a *Account) hasRoomLocked() bool {
	return a.sending+a.turns.inside < a.mostSending || a.behindLocked(time.Now())
}

// letInLocked lets waiting turns in as long as there is room.
func (a *Account) letInLocked() {
	for len(a.turns.waiting) > 0 && a.hasRoomLocked() {
		a.turns.inside++
		close(a.turns.waiting[0])
		a.turns.waiting = a.turns.waiting[1:]
	}
}
