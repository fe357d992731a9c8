package platform

import (
	"context"
	"net/http"
)

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
