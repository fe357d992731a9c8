package outbox

import (
	"context"
	"fmt"
	"sync/atomic"
)

// trait is something that the platform of an account was seen to do, and may do again.
type trait struct {
	atomic.Bool // it was seen
	name        string
	stored      atomic.Bool // that it was
}

// What is remembered of an account.
const (
	// rewrites: the platform turns texts into others. Without that, what a crash left under way would not
	// be recognised, and sent again.
	rewrites = "rewrites"
	// nameless: answers do not tell the id of what was sent. Without that, it would be taken for a later
	// twin that was lost.
	nameless = "nameless"
)

// traits lists what is remembered.
func (a *Account) traits() [2]*trait { return [...]*trait{&a.rewrites, &a.nameless} }

// restore takes up what an earlier incarnation knew: the traits, and the messages and posts that are held, or were, so that one
// that shows up is not taken for a person's, or for a later twin.
func (a *Account) restore(ctx context.Context) error {
	for _, t := range a.traits() {
		known, err := a.dispatcher.cfg.Ledger.HasTrait(ctx, a.cfg.Account, t.name)
		if err != nil {
			return fmt.Errorf("read what is known of %s: %w", a.cfg.Account, err)
		}
		t.Store(known)
		t.stored.Store(known)
	}
	held, err := a.dispatcher.cfg.Ledger.HeldActions(ctx, a.cfg.Account, manyHeld)
	if err != nil {
		return fmt.Errorf("read what is held of %s: %w", a.cfg.Account, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range held {
		a.keepHeldLocked(&held[i]) //mutate:take-up-held
	}
	return nil
}

// noteRewritten notes when the platform turns texts into others: what it shows is then no proof that something
// has not been sent.
func (a *Account) noteRewritten(sent, shown string) {
	if shown != "" && !sameText(sent, shown) {
		a.rewrites.Store(true)
	}
}

// storeLearned stores what was learned, before anything else of the queue leaves. It reports false when the
// dispatcher stops first.
func (a *Account) storeLearned(ctx context.Context) bool {
	for _, t := range a.traits() {
		if !t.Load() || t.stored.Load() {
			continue
		}
		if !a.storeUntilDone(ctx, func() error { return a.dispatcher.cfg.Ledger.RememberTrait(ctx, a.cfg.Account, t.name) }) {
			return false
		}
		t.stored.Store(true)
	}
	return true
}
