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

// Enter waits for room for the actions of a turn of the conversation with peer. Leave must follow.
func (b *Account) Enter(ctx context.Context, peer platform.UserID) {
	b.mu.Lock()
	if vacancy := b.vacancyLocked(peer); vacancy != nil {
		b.mu.Unlock()
		b.waitFor(ctx, vacancy)
		b.mu.Lock()
	}
	// Nobody passes those who wait: their lanes have been standing for longer.
	if b.hasRoomLocked() && len(b.turns.waiting) == 0 {
		b.turns.inside++
		b.mu.Unlock()
		return
	}
	ticket := make(chan struct{})
	b.turns.waiting = append(b.turns.waiting, ticket)
	b.mu.Unlock()

	if b.waitFor(ctx, ticket) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select { // whoever let it in has counted it, so it must not be counted twice
	case <-ticket:
	default:
		b.turns.inside++
		for i, w := range b.turns.waiting {
			if w == ticket {
				b.turns.waiting = append(b.turns.waiting[:i], b.turns.waiting[i+1:]...)
				break
			}
		}
	}
}

// waitFor waits for c as long as a turn may wait; it reports whether c came.
func (b *Account) waitFor(ctx context.Context, c <-chan struct{}) bool {
	return lifecycle.Wait(ctx, patienceForRoom, c, b.workers.Stopping()) == lifecycle.Signalled
}

// vacancyLocked returns a channel that is closed when the conversation's messages have been carried to half
// the window; nil when there is room now.
func (b *Account) vacancyLocked(peer platform.UserID) <-chan struct{} {
	q := b.queues[orderingKey{event.VerbMessage, int64(peer)}]
	if q == nil || q.stuck || !b.fullLocked(q, 0) {
		return nil
	}
	if q.vacancy == nil {
		q.vacancy = make(chan struct{})
	}
	return q.vacancy
}

// vacateLocked lets the turn in that waits for a queue.
func (b *Account) vacateLocked(q *queue) {
	if q.vacancy != nil && (q.stuck || !b.fullLocked(q, b.dispatcher.cfg.Window/2)) {
		close(q.vacancy)
		q.vacancy = nil
	}
}

// Leave ends what Enter began.
func (b *Account) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns.inside--
	b.letInLocked()
}

// hasRoomLocked reports whether a turn may decide. Where the pace or an outage is the limit, waiting for room
// is no use.
func (b *Account) hasRoomLocked() bool {
	return b.sending+b.turns.inside < b.room || b.behindLocked(time.Now())
}

// letInLocked lets waiting turns in as long as there is room.
func (b *Account) letInLocked() {
	for len(b.turns.waiting) > 0 && b.hasRoomLocked() {
		b.turns.inside++
		close(b.turns.waiting[0])
		b.turns.waiting = b.turns.waiting[1:]
	}
}
