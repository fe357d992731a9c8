package outbox

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// ReadAhead asks a ledger what Account.Recover asks it of an account: see store.Ahead. What is missing here Recover asks for itself.
func ReadAhead(ctx context.Context, l Ledger, account event.Account) {
	now := time.Now()
	_, _ = l.Open(ctx, account)
	_, _ = l.DoubtAges(ctx, account)
	for _, trait := range [...]string{rewrites, nameless} {
		_, _ = l.HasTrait(ctx, account, trait)
	}
	_, _ = l.HeldActions(ctx, account, manyHeld)
	_, _ = l.ActionsAhead(ctx, account, now, aheadPage)
	_, _ = l.LateActions(ctx, account, now, latePage)
	_, _ = l.NextUntil(ctx, account, now)
	_, _ = l.NextDue(ctx, account)
}
