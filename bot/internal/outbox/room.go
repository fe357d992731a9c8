package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/platform"
)

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

// freedLocked wakes what may wait for room.
func (a *Account) freedLocked() {
	a.wakeLocked()
	a.letInLocked()
}
