package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// product is a message or a post that the platform shows as our own.
type product struct {
	id   int64
	text string
}

// products reads what the suspects may have produced, in the order of ids: own messages or posts
// above the id that was known before they left, without those that other actions are known to have
// produced.
func (b *Box) products(ctx context.Context, suspects []*item) ([]product, error) {
	from := suspects[0].SettleFrom
	for _, it := range suspects {
		from = min(from, it.SettleFrom)
	}
	if err := b.cfg.Slots.Acquire(ctx); err != nil {
		return nil, err
	}
	own, err := b.read(ctx, suspects[0], from)
	b.cfg.Slots.Release()
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		return nil, nil
	}
	// Results are stored lazily: make sure that all of them are known.
	if err := b.courier.cfg.Ledger.MarkNow(ctx); err != nil {
		return nil, fmt.Errorf("store results before settling: %w", err)
	}
	ids := make([]int64, len(own))
	for i, p := range own {
		ids[i] = p.id
	}
	known, err := b.courier.cfg.Ledger.Results(ctx, b.cfg.Account, suspects[0].Verb, ids)
	if err != nil {
		return nil, fmt.Errorf("read known results: %w", err)
	}
	own = slices.DeleteFunc(own, func(p product) bool { return known[p.id] })
	slices.SortFunc(own, func(x, y product) int { return cmp.Compare(x.id, y.id) })
	return own, nil
}

// read reads own messages of the conversation, or own posts, above from.
func (b *Box) read(ctx context.Context, it *item, from int64) ([]product, error) {
	var own []product
	if it.Verb == event.VerbMessage {
		for m, err := range b.cfg.Platform.AllMessages(ctx, platform.MessagesParams{Peer: it.Peer, After: platform.MessageID(from), PageSize: settlePage}) {
			if err != nil {
				return nil, fmt.Errorf("read back the messages with user %d: %w", it.Peer, err)
			}
			if m.Own && int64(m.ID) > from {
				own = append(own, product{int64(m.ID), m.Text})
			}
		}
		return own, nil
	}
	posts, err := b.ownPosts(ctx, it.Post)
	if err != nil {
		return nil, err
	}
	for _, p := range posts {
		if int64(p.ID) > from {
			own = append(own, product{int64(p.ID), p.Text})
		}
	}
	return own, nil
}

const settlePage = 100

// ownPosts reads the newest of the account's posts, or its replies below thread.
func (b *Box) ownPosts(ctx context.Context, thread platform.PostID) ([]platform.Post, error) {
	me, err := b.cfg.Me(ctx)
	if err != nil {
		return nil, err
	}
	if thread == 0 {
		posts, err := b.cfg.Platform.ProfilePosts(ctx, platform.ProfilePostsParams{ID: me, Type: "posts"})
		if err != nil {
			return nil, fmt.Errorf("read back the account's posts: %w", err)
		}
		return mine(posts, me), nil
	}
	var replies []platform.Post
	for p, err := range b.cfg.Platform.AllThreadReplies(ctx, platform.ThreadRepliesParams{Thread: thread}) {
		if err != nil {
			return nil, fmt.Errorf("read back the replies to post %d: %w", thread, err)
		}
		replies = append(replies, p)
	}
	return mine(replies, me), nil
}

func mine(posts []platform.Post, me platform.UserID) []platform.Post {
	return slices.DeleteFunc(posts, func(p platform.Post) bool {
		return p.IsRepost || !p.IsOwner && p.UserID != me && p.Owner.ID != me
	})
}

// anchor makes sure that the last id known before an action leaves is known. An action that the
// platform refuses even to look at is refused.
func (b *Box) anchor(ctx context.Context, a *event.Action) error {
	b.mu.Lock()
	if ch := b.chains[keyOf(a)]; ch != nil {
		a.SettleFrom = max(a.SettleFrom, ch.known)
	}
	b.mu.Unlock()
	if a.SettleFrom != 0 || a.Verb.Toggle() {
		return nil
	}
	if err := b.cfg.Slots.Acquire(ctx); err != nil {
		return err
	}
	defer b.cfg.Slots.Release()
	from, err := b.newest(ctx, a)
	if unreadable(err) {
		from, err = 0, nil // should it become unsure, a person has to look
	}
	if err != nil {
		return fmt.Errorf("read the newest id before %s leaves: %w", a.Key, err)
	}
	a.SettleFrom = max(from, 1) // 1: nothing there yet
	return nil
}

// unreadable tells whether the platform does not let us read at all: some deployments have no
// get_messages.
func unreadable(err error) bool {
	var refused *platform.Refused
	if errors.As(err, &refused) {
		return !platform.Unsure(err) && !errors.Is(err, platform.ErrUnauthorized) && !errors.Is(err, platform.ErrRateLimited)
	}
	var page *platform.Unreadable
	return errors.As(err, &page) && page.HTTPStatus == http.StatusNotFound
}

func (b *Box) newest(ctx context.Context, a *event.Action) (int64, error) {
	var newest int64
	if a.Verb == event.VerbMessage {
		ms, err := b.cfg.Platform.Messages(ctx, platform.MessagesParams{Peer: a.Peer})
		for _, m := range ms {
			newest = max(newest, int64(m.ID))
		}
		return newest, err
	}
	posts, err := b.ownPosts(ctx, a.Post)
	for _, p := range posts {
		newest = max(newest, int64(p.ID))
	}
	return newest, err
}
