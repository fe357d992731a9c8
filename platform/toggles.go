package platform

import (
	"context"
	"net/http"
)

// Toggled is the state after a call that switches something on or off.
type Toggled struct {
	On    bool
	Known bool // false when the answer does not tell
}

// LikePost likes a post, or takes the like back when there is one: calling again undoes it. Read
// Post.HasLiked first.
func (c *Client) LikePost(ctx context.Context, id PostID) (Toggled, error) {
	return c.toggle(ctx, "like_post", "like", id)
}

// Repost reposts a post, or takes the repost back when there is one: calling again undoes it. Read
// Post.HasReposted first.
func (c *Client) Repost(ctx context.Context, id PostID) (Toggled, error) {
	return c.toggle(ctx, "publication_repost", "repost", id)
}

// AddBookmark saves a post, or removes it from the bookmarks when it is there: calling again undoes
// it. Read Post.HasSaved first.
func (c *Client) AddBookmark(ctx context.Context, id PostID) (Toggled, error) {
	return c.toggle(ctx, "add_bookmark", "bookmark", id)
}

func (c *Client) toggle(ctx context.Context, endpoint, key string, id PostID) (after Toggled, err error) {
	req := request{
		method: http.MethodPost, endpoint: endpoint, access: protected,
		params: newParams().id("post_id", int64(id)),
	}
	err = c.call(ctx, req, func(e envelope) error {
		after = readToggled(e.data, key)
		return nil
	})
	return after, err
}

// Followed is the relation to a person after Follow.
type Followed int

// The outcomes of Follow.
const (
	FollowUnknown   Followed = iota // the answer does not tell
	FollowNone                      // not following any more
	FollowActive                    // following
	FollowRequested                 // the person must accept first (code 201, documented by deployments)
)

// Follow follows a person, or ends following: calling again undoes it, and probably takes back a
// request that waits. Read Profile.IsFollowing and Profile.FollowRequested first.
func (c *Client) Follow(ctx context.Context, id UserID) (after Followed, err error) {
	req := request{
		method: http.MethodPost, endpoint: "follow", access: protected,
		params: newParams().id("user_id", int64(id)),
	}
	err = c.call(ctx, req, func(e envelope) error {
		after = readFollowed(e)
		return nil
	})
	return after, err
}

// BlockUser blocks a person, or unblocks: calling again undoes it. The answer tells the two apart
// only in its message, which is for people and perhaps translated. Read Profile.IsBlocked first.
func (c *Client) BlockUser(ctx context.Context, id UserID) (message string, err error) {
	req := request{
		method: http.MethodPost, endpoint: "block_user", access: protected,
		params: newParams().id("user_id", int64(id)),
	}
	err = c.call(ctx, req, func(e envelope) error {
		message = e.message.Prose()
		return nil
	})
	return message, err
}
