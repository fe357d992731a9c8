package outbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// product is a message or a post that the platform shows as our own.
type product struct {
	id   int64
	text string
}

const reconcilePage = 100

// products reads what the items in doubt may have produced, in the order of ids: own messages or posts
// above the id that was known before they left, without those that other actions are known to have
// produced.
func (b *Account) products(ctx context.Context, inDoubtItems []*delivery) ([]product, error) {
	from := inDoubtItems[0].ReconcileFrom
	for _, it := range inDoubtItems {
		from = min(from, it.ReconcileFrom)
	}
	from = max(from, unknown) // below 0 is a row, from when messages could not be read
	own, err := b.own(ctx, inDoubtItems[0], max(from, unknown))
	if err != nil || len(own) == 0 {
		return nil, err
	}
	// Results are stored lazily: make sure that all of them are known.
	// One that is not stored yet would be taken for what is in doubt, which is then lost.
	if err := b.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil {
		return nil, notAsked{fmt.Errorf("store results before reconciling: %w", err)}
	}
	ids := make([]int64, len(own))
	for i, p := range own {
		ids[i] = p.id
	}
	known, err := b.dispatcher.cfg.Ledger.Results(ctx, b.cfg.Account, inDoubtItems[0].Verb, ids)
	if err != nil {
		return nil, notAsked{fmt.Errorf("read known results: %w", err)}
	}
	own = slices.DeleteFunc(own, func(p product) bool { return known[p.id] }) //mutate:known-results
	slices.SortFunc(own, func(x, y product) int { return cmp.Compare(x.id, y.id) })
	return own, nil
}

// own reads what is the account's own, above from: messages of the conversation, replies to the post,
// or posts of the account's page.
func (b *Account) own(ctx context.Context, it *delivery, from int64) ([]product, error) {
	switch {
	case it.Verb == event.VerbMessage:
		return b.ownMessages(ctx, it.Peer, from)
	case it.Post != 0:
		return b.ownReplies(ctx, it.Post, from)
	default:
		return b.ownPosts(ctx, from)
	}
}

func (b *Account) ownMessages(ctx context.Context, peer platform.UserID, from int64) ([]product, error) {
	var own []product
	params := platform.MessagesParams{Peer: peer, After: platform.MessageID(from), PageSize: reconcilePage}
	for m, err := range b.cfg.Platform.AllMessages(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the messages with user %d: %w", peer, err)
		}
		if m.Own {
			own = append(own, product{int64(m.ID), m.Text})
		}
	}
	return own, nil
}

func (b *Account) ownReplies(ctx context.Context, thread platform.PostID, from int64) ([]product, error) {
	me, err := b.me(ctx)
	if err != nil {
		return nil, err
	}
	var own []product
	params := platform.ThreadRepliesParams{Thread: thread, PageSize: reconcilePage}
	for p, err := range b.cfg.Platform.AllThreadReplies(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the replies to post %d: %w", thread, err)
		}
		if mine(&p, me) && int64(p.ID) > from {
			own = append(own, product{int64(p.ID), p.Text})
		}
	}
	return own, nil
}

// ownPosts reads the account's page, the newest first, until it comes to posts that are too old: two
// of them, since the first may be pinned.
func (b *Account) ownPosts(ctx context.Context, from int64) ([]product, error) {
	me, err := b.me(ctx)
	if err != nil {
		return nil, err
	}
	var own []product
	old := 0
	params := platform.ProfilePostsParams{ID: me, PageSize: reconcilePage}
	for p, err := range b.cfg.Platform.AllProfilePosts(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the account's posts: %w", err)
		}
		if !mine(&p, me) || p.Thread != 0 {
			continue
		}
		if int64(p.ID) > from {
			own = append(own, product{int64(p.ID), p.Text})
		} else if old++; old == 2 {
			break
		}
	}
	return own, nil
}

// me returns the account's own id.
func (b *Account) me(ctx context.Context) (platform.UserID, error) {
	me, err := b.cfg.Me(ctx)
	if err != nil {
		return 0, &platform.SessionError{Endpoint: "profile_posts", Err: err}
	}
	return me, nil
}

// mine reports whether the account wrote a post.
func mine(p *platform.Post, me platform.UserID) bool {
	return !p.IsRepost && (p.IsOwner || p.UserID == me || p.Owner.ID == me)
}
