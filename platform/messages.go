package platform

import (
	"cmp"
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
	// Whole keeps all rows of an answer, and not only RowsKept(PageSize) of them: the lowest ones above After, otherwise the
	// highest ones below Before.
	Whole bool
}

// Messages reads a page of the messages with p.Peer, sorted by id, each id once. Whether a page
// after p.After holds the oldest or the newest of them is not documented: AllMessages sees to it.
// Whether reading marks them as seen is not documented either.
func (c *Client) Messages(ctx context.Context, p MessagesParams) ([]Message, error) {
	req := request{
		method: http.MethodGet, endpoint: "get_messages", access: protected,
		params: newParams().id("user_id", int64(p.Peer)).addWindow(p.Before, p.After, p.PageSize),
	}
	return readMessages(ctx, c, req, p)
}

func readMessages(ctx context.Context, c *Client, req request, p MessagesParams) ([]Message, error) {
	page := kept[Message]{decode: readMessage, outside: func(m *Message) bool {
		// A platform that does not know a cursor sends what lies beyond it, too.
		return m.ID <= p.After || p.Before > 0 && m.ID >= p.Before
	}}
	if !p.Whole {
		page.most, page.nearest = RowsKept(p.PageSize), func(a, b *Message) int {
			if p.After > 0 {
				return cmp.Compare(a.ID, b.ID)
			}
			return cmp.Compare(b.ID, a.ID)
		}
	}
	items, err := page.streamRows(ctx, c, req)
	return sortedMessages(items), err
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
		params: params.addWindow(p.Before, p.After, p.PageSize),
	}
	return readMessages(ctx, c, req, MessagesParams{After: p.After, Before: p.Before, PageSize: p.PageSize})
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
		req.params = req.params.text("type", "media").addOptional("message", p.Text)
		req.file, req.fileField = p.Image, "image"
	}
	proven := true
	err = c.call(ctx, req, func(e envelope) error {
		sent, proven = readMessage(e.data)
		proven = proven || e.coded //mutate:codeless-unnamed
		return nil
	})
	return sent, creationError(req.endpoint, proven, err)
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
		params: newParams().id("user_id", int64(peer)).addFlag("delete_chat", deleteChat),
	}, nil)
}
