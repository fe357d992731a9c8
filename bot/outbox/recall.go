package outbox

import (
	"context"
	"fmt"
)

// rewrites is what is remembered of an account whose platform turns texts into others: without it, what
// a crash left under way would not be recognised, and sent again.
const rewrites = "rewrites"

// recall takes up what an earlier life knew: whether the platform rewrites texts, and the messages that
// are held, so that one that shows up is not taken for a person's.
func (b *Box) recall(ctx context.Context) error {
	known, err := b.courier.cfg.Ledger.Remembers(ctx, b.cfg.Account, rewrites)
	if err != nil {
		return fmt.Errorf("read what is known of %s: %w", b.cfg.Account, err)
	}
	b.rewrites.Store(known)
	b.remembered.Store(known)
	held, err := b.courier.cfg.Ledger.HeldMessages(ctx, b.cfg.Account, fewHeld)
	if err != nil {
		return fmt.Errorf("read the held messages of %s: %w", b.cfg.Account, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range held {
		b.keepHeld(&held[i])
	}
	return nil
}

// learn notes when the platform turns texts into others: what it shows is then no proof that something
// has not been sent.
func (b *Box) learn(sent, shown string) {
	if shown != "" && !sameText(sent, shown) {
		b.rewrites.Store(true)
	}
}

// remember stores what was learned, before anything else of the chain leaves. It reports false when the
// courier stops first.
func (b *Box) remember(ctx context.Context) bool {
	if !b.rewrites.Load() || b.remembered.Load() {
		return true
	}
	stored := b.insist(ctx, func() error { return b.courier.cfg.Ledger.Remember(ctx, b.cfg.Account, rewrites) })
	if stored {
		b.remembered.Store(true)
	}
	return stored
}
