package outbox

import (
	"context"
	"time"
)

// room keeps turns from deciding faster than the courier can carry: a turn enters before it runs and
// leaves when its actions are reserved. Without it, a rush would be written as due and read again,
// at three times the cost.
type room struct {
	inside  int
	waiting []chan struct{}
}

// patienceForRoom is how long a turn waits for room. After that it runs all the same: its actions
// wait in the store.
const patienceForRoom = 2 * time.Second

// Enter waits for room for the actions of a turn. Leave must follow.
func (b *Box) Enter(ctx context.Context) {
	b.mu.Lock()
	if b.hasRoom() && len(b.turns.waiting) == 0 {
		b.turns.inside++
		b.mu.Unlock()
		return
	}
	ticket := make(chan struct{})
	b.turns.waiting = append(b.turns.waiting, ticket)
	b.mu.Unlock()

	t := time.NewTimer(patienceForRoom)
	defer t.Stop()
	select {
	case <-ticket:
		return
	case <-t.C:
	case <-b.courier.stop:
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-ticket: // let in meanwhile
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

// Leave ends what Enter began.
func (b *Box) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns.inside--
	b.letIn()
}

// hasRoom tells whether a turn may decide. Where the pace or an outage is the limit, waiting for room
// is no use. b.mu is held.
func (b *Box) hasRoom() bool {
	return b.sending+b.turns.inside < b.room || b.behind(time.Now())
}

// letIn lets waiting turns in as long as there is room. b.mu is held.
func (b *Box) letIn() {
	for len(b.turns.waiting) > 0 && b.hasRoom() {
		b.turns.inside++
		close(b.turns.waiting[0])
		b.turns.waiting = b.turns.waiting[1:]
	}
}
