package platform

import (
	"context"
	"net/http"
)

// Thread reads a post with its parents and its replies. The id may be that of any post.
func (c *Client) Thread(ctx context.Context, id PostID) (found Thread, err error) {
	req := request{
		method: http.MethodGet, endpoint: "thread_data", access: shown,
		params: newParams().id("thread_id", int64(id)),
	}
	err = c.call(ctx, req, func(e envelope) error {
		found, err = readThread(e.data)
		return err
	})
	return found, err
}

// ThreadRepliesParams choose a page of the replies to a post.
type ThreadRepliesParams struct {
	Thread   PostID
	PageSize int    // defaults to 20
	Offset   PostID // the last reply of the page before, or of Thread.Next; 0 for the first page
}

// ThreadReplies reads a page of the replies to a post.
func (c *Client) ThreadReplies(ctx context.Context, p ThreadRepliesParams) ([]Post, error) {
	params := newParams().id("thread_id", int64(p.Thread)).addPage(p.PageSize, int64(p.Offset))
	return c.readPosts(ctx, "thread_replys", shown, params)
}
