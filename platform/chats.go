package platform

import (
	"context"
	"errors"
	"net/http"
)

// Chats reads the chat list. It has no pages. An error that is a *Cut comes with the rows that arrived.
func (c *Client) Chats(ctx context.Context) ([]Chat, error) {
	var chats []Chat
	list, err := c.ChatRows(ctx, func(i int, row *ChatRow) {
		chats = append(chats[:i], row.Decode())
	})
	if cut := (*Cut)(nil); err != nil && !errors.As(err, &cut) {
		return nil, err
	}
	return chats[:list.Rows], err
}

// ChatRows reads the chat list while it arrives, and calls each with every row, the first of which has the
// number 0. It holds no more than a few rows at a time, so each may keep nothing of a row but what it copies.
//
// The error is a *Cut when a part of the list arrived: its rows count. With any other error, none does. Should the
// rows begin anew with 0, as in an answer with two lists, the earlier ones do not count: there are ChatList.Rows.
func (c *Client) ChatRows(ctx context.Context, each func(i int, row *ChatRow)) (ChatList, error) {
	cut := chatCutter{each: each}
	l := rowCall{rows: &cut, took: func() (rows, sent int) { return cut.rows, cut.sent }}
	req := request{
		method: http.MethodGet, endpoint: "get_chats", access: protected, list: true, params: newParams(), rows: &l,
	}
	err := c.call(ctx, req, nil)
	return l.got, err
}
