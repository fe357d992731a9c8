package platform

import (
	"context"
	"net/http"
)

// Chats reads the chat list. It has no pages.
func (c *Client) Chats(ctx context.Context) ([]Chat, error) {
	found, err := readList(ctx, c, chatsRequest(), readChat)
	return found.items, err
}

// ChatRows reads the chat list without decoding its rows, for a reader who wants to know at little
// cost which of them changed.
func (c *Client) ChatRows(ctx context.Context) (rows ChatRows, err error) {
	var cut chatCutter
	req := chatsRequest()
	req.scan = cut.scan
	err = c.call(ctx, req, func(e envelope) error {
		rows, err = cut.take(e)
		return err
	})
	return rows, err
}

func chatsRequest() request {
	return request{method: http.MethodGet, endpoint: "get_chats", access: protected, list: true, params: newParams()}
}
