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

// readProducts reads what the items in doubt may have produced, in the order of ids: own messages or posts
// above the id that was known before they left, without those that other actions are known to have
// produced.
func (a *Account) readProducts(ctx context.Context, inDoubtItems []*delivery) ([]product, error) {
	from := inDoubtItems[0].ReconcileFrom
	for _, d := range inDoubtItems {
		from = min(from, d.ReconcileFrom)
	}
	from = max(from, unknown) // below 0 is a row, from when messages could not be read
	own, err := a.own(ctx, inDoubtItems[0], max(from, unknown))
	if err != nil || len(own) == 0 {
		return nil, err
	}
	// Results are stored lazily: make sure that all of them are known.
	// One that is not stored yet would be taken for what is in doubt, which is then lost.
	if err := a.dispatcher.cfg.Ledger.MarkNow(ctx); err != nil {
		return nil, notAsked{fmt.Errorf("store results before reconciling: %w", err)}
	}
	ids := make([]int64, len(own))
	for i, p := range own {
		ids[i] = p.id
	}
	known, err := a.dispatcher.cfg.Ledger.Results(ctx, a.cfg.Account, inDoubtItems[0].Verb, ids)
	if err != nil {
		return nil, notAsked{fmt.Errorf("read known results: %w", err)}
	}
	own = slices.DeleteFunc(own, func(p product) bool { return known[p.id] }) //mutate:known-results
	slices.SortFunc(own, func(x, y product) int { return cmp.Compare(x.id, y.id) })
	return own, nil
}

// own reads what is the account's own, above from: messages of the conversation, replies to the post,
// or posts of the account's page.
func (a *Account) own(ctx context.Context, d *delivery, from int64) ([]product, error) {
	switch {
	case d.Verb == event.VerbMessage:
		return a.ownMessages(ctx, d.Peer, from)
	case d.Post != 0:
		return a.ownReplies(ctx, d.Post, from)
	default:
		return a.ownPosts(ctx, from)
	}
}

func (a *Account) ownMessages(ctx context.Context, peer platform.UserID, from int64) ([]product, error) {
	var own []product
	params := platform.MessagesParams{Peer: peer, After: platform.MessageID(from), PageSize: reconcilePage}
	for m, err := range a.cfg.Platform.AllMessages(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the messages with user %d: %w", peer, err)
		}
		if m.Own {
			own = append(own, product{int64(m.ID), m.Text})
		}
	}
	return own, nil
}

func (a *Account) ownReplies(ctx context.Context, thread platform.PostID, from int64) ([]product, error) {
	me, err := a.ownID(ctx)
	if err != nil {
		return nil, err
	}
	var own []product
	params := platform.ThreadRepliesParams{Thread: thread, PageSize: reconcilePage}
	for p, err := range a.cfg.Platform.AllThreadReplies(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the replies to post %d: %w", thread, err)
		}
		if isOwnPost(&p, me) && int64(p.ID) > from {
			own = append(own, product{int64(p.ID), p.Text})
		}
	}
	return own, nil
}

// ownPosts reads the account's page, the newest first, until it comes to posts that are too old: two
// of them, since the first may be pinned.
func (a *Account) ownPosts(ctx context.Context, from int64) ([]product, error) {
	me, err := a.ownID(ctx)
	if err != nil {
		return nil, err
	}
	var own []product
	old := 0
	params := platform.ProfilePostsParams{ID: me, PageSize: reconcilePage}
	for p, err := range a.cfg.Platform.AllProfilePosts(ctx, params) {
		if err != nil {
			return nil, fmt.Errorf("read back the account's posts: %w", err)
		}
		if !isOwnPost(&p, me) || p.Thread != 0 {
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

// ownID returns the account's own id.
func (a *Account) ownID(ctx context.Context) (platform.UserID, error) {
	me, err := a.cfg.Me(ctx)
	if err != nil {
		return 0, &platform.SessionError{Endpoint: "profile_posts", Err: err}
	}
	return me, nil
}

// isOwnPost reports whether the account wrote a post.
func isOwnPost(p *platform.Post, me platform.UserID) bool {
	return !p.IsRepost && (p.IsOwner || p.UserID == me || p.Owner.ID == me)
}
