package platform

import (
	"context"
	"net/http"
)

// PageParams choose a page of a list that is the account's own.
type PageParams struct {
	PageSize int // defaults to 20

	// Offset is the Row of the last post, or person, of the page before, adverts not counted; 0 for the first page.
	Offset RowID
}

// Feed reads a page of the account's feed. It may hold an advert on top of PageSize (Post.Advertising),
// and a post twice: as itself and as a repost.
func (c *Client) Feed(ctx context.Context, p PageParams) ([]Post, error) {
	return c.readPosts(ctx, "feeds", shown, newParams().addPage(p.PageSize, int64(p.Offset)))
}

// Bookmarks reads a page of the posts that the account saved. Their order is not documented.
func (c *Client) Bookmarks(ctx context.Context, p PageParams) ([]Post, error) {
	return c.readPosts(ctx, "get_bookmarks", protected, newParams().addPage(p.PageSize, int64(p.Offset)))
}

// The values of ProfilePostsParams.Type, as documented by deployments.
const (
	PostsOfPerson = "posts"
	MediaOfPerson = "media"
	LikedByPerson = "liked"
)

// ProfilePostsParams choose a page of the posts of a person.
type ProfilePostsParams struct {
	ID       UserID
	Type     string // PostsOfPerson (the default), MediaOfPerson or LikedByPerson
	PageSize int    // defaults to 20
	Offset   RowID  // Row of the last post of the page before; 0 for the first page
}

// ProfilePosts reads a page of the posts of a person, newest first as far as clients show. It works
// without a session.
func (c *Client) ProfilePosts(ctx context.Context, p ProfilePostsParams) ([]Post, error) {
	if p.Type == "" {
		p.Type = PostsOfPerson
	}
	params := newParams().id("user_id", int64(p.ID)).text("type", p.Type)
	return c.readPosts(ctx, "profile_posts", optional, params.addPage(p.PageSize, int64(p.Offset)))
}

// readPosts reads a list of posts of any kind.
func (c *Client) readPosts(ctx context.Context, endpoint string, a access, params params) ([]Post, error) {
	req := request{method: http.MethodGet, endpoint: endpoint, access: a, params: params}
	return readList(ctx, c, req, readPost, "feeds", "posts")
}
