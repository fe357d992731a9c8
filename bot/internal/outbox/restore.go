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
func (b *Account) traits() [2]*trait { return [...]*trait{&b.rewrites, &b.nameless} }

// restore takes up what an earlier incarnation knew: the traits, and the messages and posts that are held, or were, so that one
// that shows up is not taken for a person's, or for a later twin.
func (b *Account) restore(ctx context.Context) error {
	for _, t := range b.traits() {
		known, err := b.dispatcher.cfg.Ledger.Remembers(ctx, b.cfg.Account, t.name)
		if err != nil {
			return fmt.Errorf("read what is known of %s: %w", b.cfg.Account, err)
		}
		t.Store(known)
		t.stored.Store(known)
	}
	held, err := b.dispatcher.cfg.Ledger.Held(ctx, b.cfg.Account, manyHeld)
	if err != nil {
		return fmt.Errorf("read what is held of %s: %w", b.cfg.Account, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range held {
		b.keepHeldLocked(&held[i]) //mutate:take-up-held
	}
	return nil
}

// learn notes when the platform turns texts into others: what it shows is then no proof that something
// has not been sent.
func (b *Account) learn(sent, shown string) {
	if shown != "" && !sameText(sent, shown) {
		b.rewrites.Store(true)
	}
}

// remember stores what was learned, before anything else of the queue leaves. It reports false when the
// dispatcher stops first.
func (b *Account) remember(ctx context.Context) bool {
	for _, t := range b.traits() {
		if !t.Load() || t.stored.Load() {
			continue
		}
		if !b.insist(ctx, func() error { return b.dispatcher.cfg.Ledger.Remember(ctx, b.cfg.Account, t.name) }) {
			return false
		}
		t.stored.Store(true)
	}
	return true
}
