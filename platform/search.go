package platform

import (
	"context"
	"iter"
	"net/http"
)

// SearchParams choose a page of search results. All searches work without a session.
type SearchParams struct {
	Query    string
	PageSize int // defaults to 20

	// Offset is the cursor of the last result of the page before: its Row, or its id where results
	// have no Row (people, hashtags). 0 for the first page.
	Offset RowID
}

func (p SearchParams) params() params {
	return newParams().text("query", p.Query).page(p.PageSize, int64(p.Offset))
}

// SearchPosts reads a page of the posts that match.
func (c *Client) SearchPosts(ctx context.Context, p SearchParams) ([]Post, error) {
	page, err := c.posts(ctx, "search_posts", optional, p.params())
	return page.items, err
}

// AllSearchPosts reads the posts that match to the end of the list.
func (c *Client) AllSearchPosts(ctx context.Context, p SearchParams) iter.Seq2[Post, error] {
	return postPages(p.PageSize, p.Offset, func(from RowID) (page[Post], error) {
		p.Offset = from
		return c.posts(ctx, "search_posts", optional, p.params())
	})
}

// SearchPeople reads a page of the people who match.
func (c *Client) SearchPeople(ctx context.Context, p SearchParams) ([]Person, error) {
	page, err := c.people(ctx, "search_people", optional, p.params())
	return page.items, err
}

// AllSearchPeople reads the people who match to the end of the list.
func (c *Client) AllSearchPeople(ctx context.Context, p SearchParams) iter.Seq2[Person, error] {
	return peoplePages(p.PageSize, p.Offset, func(from RowID) (page[Person], error) {
		p.Offset = from
		return c.people(ctx, "search_people", optional, p.params())
	})
}

// SearchHashtags reads a page of the hashtags that match.
func (c *Client) SearchHashtags(ctx context.Context, p SearchParams) ([]Hashtag, error) {
	page, err := c.hashtags(ctx, p)
	return page.items, err
}

// AllSearchHashtags reads the hashtags that match to the end of the list.
func (c *Client) AllSearchHashtags(ctx context.Context, p SearchParams) iter.Seq2[Hashtag, error] {
	return pages(
		pager[Hashtag, RowID]{
			size: p.PageSize, from: p.Offset,
			key:    func(h Hashtag) int64 { return h.ID },
			cursor: func(h Hashtag) RowID { return RowID(h.ID) },
		},
		func(from RowID) (page[Hashtag], error) {
			p.Offset = from
			return c.hashtags(ctx, p)
		})
}

func (c *Client) hashtags(ctx context.Context, p SearchParams) (page[Hashtag], error) {
	req := request{method: http.MethodGet, endpoint: "search_hashtags", access: optional, params: p.params()}
	return readList(ctx, c, req, readHashtag)
}
