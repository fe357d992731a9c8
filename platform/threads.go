package platform

import (
	"context"
	"iter"
	"net/http"
)

// Thread reads a post with its parents and its replies. The id may be that of any post.
func (c *Client) Thread(ctx context.Context, id PostID) (found Thread, err error) {
	req := request{
		method: http.MethodGet, endpoint: "thread_data", access: protected,
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
	page, err := c.threadReplies(ctx, p)
	return page.items, err
}

// AllThreadReplies reads the replies to a post to the end of the list.
func (c *Client) AllThreadReplies(ctx context.Context, p ThreadRepliesParams) iter.Seq2[Post, error] {
	return pages(
		pager[Post, PostID]{
			size: p.PageSize, from: p.Offset,
			key:    func(p Post) int64 { return int64(p.ID) },
			cursor: func(p Post) PostID { return p.ID },
			skip:   func(p Post) bool { return p.Advertising },
		},
		func(from PostID) (page[Post], error) {
			p.Offset = from
			return c.threadReplies(ctx, p)
		})
}

func (c *Client) threadReplies(ctx context.Context, p ThreadRepliesParams) (page[Post], error) {
	params := newParams().id("thread_id", int64(p.Thread)).page(p.PageSize, int64(p.Offset))
	return c.posts(ctx, "thread_replys", protected, params)
}
