package platform

import (
	"context"
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

func (p SearchParams) toParams() params {
	return newParams().text("query", p.Query).addPage(p.PageSize, int64(p.Offset))
}

// SearchPosts reads a page of the posts that match.
func (c *Client) SearchPosts(ctx context.Context, p SearchParams) ([]Post, error) {
	return c.readPosts(ctx, "search_posts", optional, p.toParams())
}

// SearchPeople reads a page of the people who match.
func (c *Client) SearchPeople(ctx context.Context, p SearchParams) ([]Person, error) {
	return c.readPeople(ctx, "search_people", optional, p.toParams())
}

// SearchHashtags reads a page of the hashtags that match.
func (c *Client) SearchHashtags(ctx context.Context, p SearchParams) ([]Hashtag, error) {
	req := request{method: http.MethodGet, endpoint: "search_hashtags", access: optional, params: p.toParams()}
	return readList(ctx, c, req, readHashtag)
}
