package outbox

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Box is the outbox of one account.
type Box struct {
	courier *Courier
	cfg     AccountConfig
	pace    *pacer
	opened  time.Time // what an earlier life left behind left before this
	room    int       // how many actions may be sending at a time

	mu      sync.Mutex
	chains  map[chainKey]*chain
	sending int                     // actions of the chains
	writing int                     // actions on their way into the store as due at once
	backlog bool                    // the account is behind: everything new goes through the store, in its order
	waiting map[platform.UserID]int // conversations with actions that are due at once and not released
	turns   room                    // turns that decide at the moment, and those that wait for room
	nextDue time.Time               // when the next stored one comes due; zero: none known
	pump    *pump                   // runs while there is something stored to send
	gate    gate
	streak  int // failures in a row
}

// Recover takes up what an earlier life left: unsure actions are settled, due ones sent.
func (b *Box) Recover(ctx context.Context) error {
	open, err := b.courier.cfg.Ledger.Open(ctx, b.cfg.Account)
	if err != nil {
		return fmt.Errorf("read the unsettled actions of %s: %w", b.cfg.Account, err)
	}
	next, err := b.courier.cfg.Ledger.NextDue(ctx, b.cfg.Account)
	if err != nil {
		return fmt.Errorf("read the due actions of %s: %w", b.cfg.Account, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range open {
		b.push(ctx, &item{Action: open[i], suspect: true, left: b.opened})
	}
	if !next.IsZero() {
		b.backlog = true
		b.dueAt(next)
		b.startPump(ctx)
	}
	return nil
}

// Reserve decides for each of a turn's new actions whether it may leave at once, and sets its State,
// Due and Position: sending when it may, due otherwise. Enqueue must follow when the commit has
// succeeded, Unreserve when it has not.
func (b *Box) Reserve(actions []event.Action, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range actions {
		a := &actions[i]
		if a.State == event.StateHeld || a.State.Final() { // the turn has decided it
			continue
		}
		a.DecidedAt = now
		a.Position = b.courier.cfg.Ledger.Position()
		if a.Due.IsZero() {
			a.Due = now
		}
		a.State = event.StateDue
		switch {
		case a.Due.After(now):
		case b.mayLeave(a, now):
			a.State = event.StateSending
			a.LeftAt = now
			b.sending++
		default:
			b.writing++
			b.waiting[a.Peer]++
		}
	}
}

// mayLeave tells whether nothing stands before a. What only concerns its conversation delays no other;
// what concerns the account makes everything new wait its turn in the store.
func (b *Box) mayLeave(a *event.Action, now time.Time) bool {
	if b.backlog || b.waiting[a.Peer] > 0 {
		return false
	}
	if ch := b.chains[keyOf(a)]; ch != nil {
		if len(ch.queue) >= b.courier.cfg.Window || ch.stuck {
			return false
		}
		a.SettleFrom = max(a.SettleFrom, ch.known)
	}
	if a.SettleFrom == 0 && !a.Verb.Toggle() {
		return false
	}
	if b.sending >= b.room || b.courier.draining.Load() || b.gate.closed(now) || len(b.waiting) >= manyWaiting {
		b.backlog = true
		return false
	}
	_, ok := b.pace.take(a, now)
	b.backlog = !ok
	return ok
}

// manyWaiting is how many conversations are remembered as waiting before the whole account does.
const manyWaiting = 4096

// Enqueue takes over the actions of a turn that has been committed.
func (b *Box) Enqueue(ctx context.Context, actions []event.Action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range actions {
		a := &actions[i]
		switch a.State {
		case event.StateSending:
			b.sending-- // push counts it again
			b.push(ctx, &item{Action: *a})
		case event.StateDue:
			if !a.Due.After(a.DecidedAt) {
				b.writing--
			}
			b.dueAt(a.Due)
			b.startPump(ctx)
		default:
		}
	}
}

// Unreserve forgets a turn that has not been committed.
func (b *Box) Unreserve(actions []event.Action) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range actions {
		switch a := &actions[i]; {
		case a.State == event.StateSending:
			b.sending--
		case a.State == event.StateDue && !a.Due.After(a.DecidedAt):
			b.writing--
			b.released(a.Peer)
		}
	}
}

// released notes that an action that was due at once waits no more. b.mu is held.
func (b *Box) released(peer platform.UserID) {
	if n := b.waiting[peer]; n > 1 {
		b.waiting[peer] = n - 1
	} else {
		delete(b.waiting, peer)
	}
}

// dueAt notes that something stored comes due at t. b.mu is held.
func (b *Box) dueAt(t time.Time) {
	if b.nextDue.IsZero() || t.Before(b.nextDue) {
		b.nextDue = t
	}
}

// push puts an item at the end of its chain and starts the chain. b.mu is held.
func (b *Box) push(ctx context.Context, it *item) {
	k := keyOf(&it.Action)
	ch := b.chains[k]
	if ch == nil {
		ch = &chain{key: k}
		b.chains[k] = ch
		b.courier.running.Add(1)
		go b.run(ctx, ch)
	}
	b.sending++
	ch.queue = append(ch.queue, it)
	ch.known = max(ch.known, it.SettleFrom)
}

// stuckPeers lists the conversations whose chains take no more. b.mu is held.
func (b *Box) stuckPeers() []platform.UserID {
	var peers []platform.UserID
	for _, ch := range b.chains {
		if len(ch.queue) > 0 && (ch.stuck || len(ch.queue) >= b.courier.cfg.Window) {
			peers = append(peers, ch.queue[0].Peer)
		}
	}
	return peers
}

// gate stops an account while the platform cannot be reached, with growing pauses.
type gate struct {
	failures int
	until    time.Time
}

func (g *gate) closed(now time.Time) bool { return now.Before(g.until) }

// fail closes the gate; failures while it is closed count as one. It reports whether it was open
// for good before.
func (g *gate) fail(now time.Time, atLeast time.Duration) bool {
	if g.closed(now) && atLeast <= g.until.Sub(now) {
		return false
	}
	first := g.failures == 0
	pause := min(time.Second<<min(g.failures, 6), time.Minute)
	g.failures++
	g.until = now.Add(max(pause, atLeast))
	return first
}

// pass opens the gate; it reports whether there had been failures.
func (g *gate) pass() bool {
	had := g.failures > 0
	*g = gate{}
	return had
}
