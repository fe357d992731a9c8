package bot

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

// The beginning of a term reads some thirty things, nearly all of which are nothing. Where many terms begin at once, that is asked about
// all of their accounts together.

const (
	aheadAtLeast = 4   // accounts for which that is worth its while
	aheadAtMost  = 256 // accounts at a time: the first ones are not to wait for the last ones
)

// readAhead reads what the terms of accounts begin with; nil when each reads for itself.
func (b *Bot) readAhead(ctx context.Context, accounts []event.Account) *store.Ahead {
	if len(accounts) < aheadAtLeast {
		return nil
	}
	ahead, err := b.store.BeginAll(ctx, accounts, b.beginning)
	if err != nil {
		return nil // each account says why
	}
	return ahead
}

// beginning asks the store what the beginning of a term asks it; see account.beginTerm. What is missing here is read by each account.
func (b *Bot) beginning(ctx context.Context, account event.Account) {
	st := b.store
	_, _ = st.Keeper(account).LoadSession(ctx)
	if b.cfg.TakeoverFor >= 0 {
		_, _ = st.Cursors(ctx, account, event.Messages, []platform.UserID{0})
		_, _ = st.Cursors(ctx, account, event.Snapshots, []platform.UserID{0})
	}
	for _, source := range restoredSources {
		_, _ = st.Newest(ctx, account, source, restored)
		_, _ = st.Cursors(ctx, account, source, []platform.UserID{0})
	}
	poll.ReadAhead(ctx, st, account, b.cfg.NoMessages)
	_, _ = st.Ignored(ctx, account)
	_, _ = st.Facts(ctx, account, store.Tried)
	_, _ = st.RequestsOf(ctx, account)
	for _, name := range []string{rivalryFact, carefulFact, pauseFact, spentFact, refusalFact} {
		_, _, _ = st.Known(ctx, account, name)
	}
	_, _ = st.PullIn(ctx, account, time.Now())
	outbox.ReadAhead(ctx, st, account)
	_, _ = st.HeldBefore(ctx, account, time.Now(), maxPending)
	_, _ = st.PendingEvents(ctx, account, 0, maxPending)
}
