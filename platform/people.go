package platform

import (
	"context"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// Profile is a person or an account as the profile and sign-in calls show it. The e-mail and IP
// addresses that the platform sends along are dropped when the answer is decoded.
type Profile struct {
	ID         UserID
	Username   string // without "@"
	FirstName  string
	LastName   string
	Verified   bool
	About      string
	Language   string
	Posts      int
	Followers  int
	Following  int
	LastActive time.Time // zero when the platform does not tell

	// The relation to the asking account. Known only when asked with a session.
	IsFollowing     bool
	FollowRequested bool
	IsBlocked       bool // the account blocked this person
	BlockedByThem   bool // this person blocked the account
	CanView         bool
	Private         bool // "profile_privacy": "followers"
	IsOwner         bool // the account itself
}

// Name returns the first and last name, or the user name when both are empty.
func (p Profile) Name() string {
	switch {
	case p.FirstName != "" && p.LastName != "":
		return p.FirstName + " " + p.LastName
	case p.FirstName != "" || p.LastName != "":
		return p.FirstName + p.LastName
	default:
		return p.Username
	}
}

// Person is a row of a list of people: followers, likes, search results, follow requests.
type Person struct {
	Row         RowID // 0 in search results, which carry none
	ID          UserID
	Username    string // without "@"
	Name        string
	About       string
	Verified    bool
	Followers   int
	Posts       int
	IsFollowing bool
	IsMe        bool
	Pending     bool // a row of the follow requests
}

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
	ID       UserID // the user of whom the followers, or the followed, are listed
	PageSize int    // defaults to 20
	Offset   RowID  // Row of the last person of the page before; 0 for the first page
}

// Followers reads a page of who follows a person. It works without a session.
func (c *Client) Followers(ctx context.Context, p PeopleParams) ([]Person, error) {
	return c.around(ctx, "fetch_followers", p)
}

// Following reads a page of the people whom a person follows. It works without a session.
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

// FollowRequests reads a page of who wants to follow the account.
func (c *Client) FollowRequests(ctx context.Context, p PageParams) ([]Person, error) {
	return c.readPeople(ctx, "follow_requests", protected, newParams().addPage(p.PageSize, int64(p.Offset)))
}

// AcceptFollow accepts a follow request and returns how many are left. The request is named by
// Person.Row; that this is the field meant is read from samples, not documented.
func (c *Client) AcceptFollow(ctx context.Context, request RowID) (left int, err error) {
	return c.answerFollow(ctx, "accept_follow", request)
}

// IgnoreFollow turns a follow request down and returns how many are left. The request is named as
// in AcceptFollow.
func (c *Client) IgnoreFollow(ctx context.Context, request RowID) (left int, err error) {
	return c.answerFollow(ctx, "ignore_follow", request)
}

func (c *Client) answerFollow(ctx context.Context, endpoint string, id RowID) (left int, err error) {
	req := request{
		method: http.MethodPost, endpoint: endpoint, access: protected,
		params: newParams().id("req_id", int64(id)),
	}
	err = c.call(ctx, req, func(e envelope) error {
		left = e.data.Member("total").Count()
		return nil
	})
	return left, err
}
