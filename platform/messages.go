package platform

import (
	"context"
	"net/http"
)

// MessagesParams choose a page of the messages with one person. Without After and Before it is the
// newest page.
type MessagesParams struct {
	Peer     UserID
	After    MessageID // only messages newer than this
	Before   MessageID // only messages older than this
	PageSize int       // defaults to 20
}

// Messages reads a page of the messages with p.Peer, sorted by id, each id once. Whether a page
// after p.After holds the oldest or the newest of them is not documented: AllMessages sees to it.
// Whether reading marks them as seen is not documented either.
func (c *Client) Messages(ctx context.Context, p MessagesParams) ([]Message, error) {
	page, err := c.messages(ctx, p)
	return page.items, err
}

func (c *Client) messages(ctx context.Context, p MessagesParams) (page[Message], error) {
	req := request{
		method: http.MethodGet, endpoint: "get_messages", access: protected,
		params: newParams().id("user_id", int64(p.Peer)).window(p.Before, p.After, p.PageSize),
	}
	found, err := readList(ctx, c, req, readMessage)
	found.items = inWindow(found.items, p.After, p.Before)
	return found, err
}

// SearchMessagesParams choose messages with one person by a text in them.
type SearchMessagesParams struct {
	Peer     UserID
	Query    string
	Before   MessageID // only messages older than this
	After    MessageID // only messages newer than this
	PageSize int       // defaults to 20
}

// SearchMessages finds messages with p.Peer, sorted by id, each id once.
func (c *Client) SearchMessages(ctx context.Context, p SearchMessagesParams) ([]Message, error) {
	params := newParams().id("user_id", int64(p.Peer)).text("query", p.Query)
	req := request{
		method: http.MethodGet, endpoint: "search_messages", access: protected,
		params: params.window(p.Before, p.After, p.PageSize),
	}
	found, err := readList(ctx, c, req, readMessage)
	return inWindow(found.items, p.After, p.Before), err
}

// SendMessageParams are a message to be sent: a text of at most 3,000 characters (documented; the
// unit is not), or a picture.
type SendMessageParams struct {
	To    UserID
	Text  string
	Image *Upload // with a picture, the platform shows no text of its own
}

// SendMessage sends a message and returns it as stored; its ID is 0 where the answer does not tell. Of one that has no code either the
// error wraps ErrUnnamed.
// A recipient who takes no messages, or who is blocked, is ErrInvalid like any other wrong parameter.
//
// There is no idempotency: after an error that is InDoubt, read Messages before sending again.
func (c *Client) SendMessage(ctx context.Context, p SendMessageParams) (sent Message, err error) {
	req := request{method: http.MethodPost, endpoint: "send_message", access: protected}
	req.params = newParams().id("user_id", int64(p.To))
	if p.Image == nil {
		req.params = req.params.text("type", "text").text("message", p.Text)
	} else {
		req.params = req.params.text("type", "media").optional("message", p.Text)
		req.file, req.fileField = p.Image, "image"
	}
	proven := true
	err = c.call(ctx, req, func(e envelope) error {
		sent, proven = readMessage(e.data)
		proven = proven || e.coded //mutate:codeless-unnamed
		return nil
	})
	return sent, made(req.endpoint, proven, err)
}

// DeleteMessage removes a message of the account.
func (c *Client) DeleteMessage(ctx context.Context, id MessageID) error {
	return c.call(ctx, request{
		method: http.MethodPost, endpoint: "delete_message", access: protected,
		params: newParams().id("message_id", int64(id)),
	}, nil)
}

// ClearChat removes all messages with peer, and with deleteChat also the row of the chat list.
func (c *Client) ClearChat(ctx context.Context, peer UserID, deleteChat bool) error {
	return c.call(ctx, request{
		method: http.MethodPost, endpoint: "clear_chat", access: protected,
		params: newParams().id("user_id", int64(peer)).flag("delete_chat", deleteChat),
	}, nil)
}
