package bot

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
)

// mostReplies is how many replies of a thread are looked through, the newest first as far as platforms give them so.
const mostReplies = 100

// Replies looks through the replies to a post, and keeps as a fact those that wanted is true of: of the first 100 that the
// platform gives (thread_replys, documented), in pages of 20, the account's own left out. What names what is wanted: with
// another one it is another fact. The errors are those of Thread.
func (t *Turn) Replies(ctx context.Context, post platform.PostID, what string, wanted func(*platform.Post) bool) ([]platform.Post, error) {
	return Fact(ctx, t, fmt.Sprintf("replies:%d/%s", post, what), func(ctx context.Context) ([]platform.Post, error) {
		me, err := t.reader.me(ctx)
		if err != nil {
			return nil, err
		}
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) ([]platform.Post, error) {
			found, seen := []platform.Post{}, 0
			for p, err := range platform.All(ctx, c.ThreadReplies, platform.ThreadRepliesParams{Thread: post, PageSize: postsPage}) {
				if err != nil {
					return nil, fmt.Errorf("read the replies to the post %d: %w", post, err)
				}
				//mutate:replies-own
				if !p.IsOwner && p.UserID != me && wanted(&p) {
					found = append(found, briefPost(&p))
				}
				if seen++; seen == mostReplies {
					break
				}
			}
			return found, nil
		})
	})
}
