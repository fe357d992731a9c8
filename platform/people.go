package platform

import (
	"context"
	"net/http"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// ProfileParams name a person by id, or by user name where the deployment knows that.
type ProfileParams struct {
	ID       UserID
	Username string // with or without "@"; used when ID is 0
}

// Profile reads a person's profile. It works without a session; the relation to the account is then
// unknown. Looking at a profile may notify its owner.
func (c *Client) Profile(ctx context.Context, p ProfileParams) (found Profile, err error) {
	params := newParams().optionalID("user_id", int64(p.ID))
	if p.ID == 0 {
		params = params.text("username", wire.TrimAt(p.Username))
	}
	req := request{method: http.MethodGet, endpoint: "profile", access: optional, params: params}
	err = c.call(ctx, req, func(e envelope) error {
		if p := readProfile(e.data); p.ID != 0 {
			found = p
			return nil
		}
		return errNoID
	})
	return found, err
}

// PeopleParams choose a page of the people around one person.
type PeopleParams struct {
	ID       UserID // whose followers, or whom they follow
	PageSize int    // defaults to 20
	Offset   RowID  // Row of the last person of the page before; 0 for the first page
}

// Followers reads a page of who follows a person. It works without a session.
func (c *Client) Followers(ctx context.Context, p PeopleParams) ([]Person, error) {
	return c.around(ctx, "fetch_followers", p)
}

// Following reads a page of whom a person follows. It works without a session.
func (c *Client) Following(ctx context.Context, p PeopleParams) ([]Person, error) {
	return c.around(ctx, "fetch_following", p)
}

func (c *Client) around(ctx context.Context, endpoint string, p PeopleParams) ([]Person, error) {
	params := newParams().id("user_id", int64(p.ID)).addPage(p.PageSize, int64(p.Offset))
	return c.readPeople(ctx, endpoint, optional, params)
}

// LikesParams choose a page of the people who like a post.
type LikesParams struct {
	Post     PostID
	PageSize int   // defaults to 20
	Offset   RowID // Row of the last person of the page before; 0 for the first page
}

// Likes reads a page of who likes a post. It works without a session. There is no such list of who
// reposted.
func (c *Client) Likes(ctx context.Context, p LikesParams) ([]Person, error) {
	params := newParams().id("post_id", int64(p.Post)).addPage(p.PageSize, int64(p.Offset))
	return c.readPeople(ctx, "fetch_likes", optional, params)
}

// readPeople reads a list of people of any kind.
func (c *Client) readPeople(ctx context.Context, endpoint string, a access, params params) ([]Person, error) {
	req := request{method: http.MethodGet, endpoint: endpoint, access: a, params: params}
	return readList(ctx, c, req, readPerson)
}
