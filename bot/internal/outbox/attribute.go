package outbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// manyUnnamed is among how many messages of a conversation, or replies to a post, one that the platform shows is looked for: those that left first.
const manyUnnamed = 64

// AttributeMessage reports whether a message of the account that nobody knows is what a message of the bot has made whose answer did not name it.
// It is that one's result from then on, so that each explains one. Where the platform names what is sent, nothing is asked.
func (a *Account) AttributeMessage(ctx context.Context, peer platform.UserID, id platform.MessageID, text string) (bool, error) {
	return a.attribute(ctx, orderingKey{event.VerbMessage, int64(peer)}, int64(id), text)
}

// AttributeReply is AttributeMessage for a reply to a post.
func (a *Account) AttributeReply(ctx context.Context, post, id platform.PostID, text string) (bool, error) {
	return a.attribute(ctx, orderingKey{event.VerbPost, int64(post)}, int64(id), text)
}

func (a *Account) attribute(ctx context.Context, k orderingKey, id int64, text string) (bool, error) {
	if !a.nameless.Load() {
		return false, nil
	}
	// Ends are stored lazily: one that is not stored yet would leave its message to a person.
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil {
		return false, fmt.Errorf("store ends before looking whose %d is: %w", id, err)
	}
	unnamed, err := a.dispatcher.cfg.Ledger.UnnamedActions(ctx, a.cfg.Account, k.verb, k.id, manyUnnamed)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(unnamed, func(action event.Action) bool {
		return action.ReconcileFrom < id && a.mayShow(action.Text, text) //mutate:unnamed-text
	})
	if i < 0 {
		// Somebody else may have named it since it was found to be unknown: the same message is read by the poller and by the dispatcher.
		known, err := a.dispatcher.cfg.Ledger.Results(ctx, a.cfg.Account, k.verb, []int64{id})
		return known[id], err //mutate:unnamed-meanwhile
	}
	m := MarkOf(&unnamed[i])
	m.Result = id //mutate:unnamed-once
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx, m); err != nil {
		return false, fmt.Errorf("store that %d is what %s has made: %w", id, m.Key, err)
	}
	return true, nil
}

// mayShow reports whether the platform may show a text of the account as another one.
func (a *Account) mayShow(text, shown string) bool {
	return sameText(text, shown) || a.rewrites.Load() || isAlike(text, shown)
}
