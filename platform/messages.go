package platform

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
)

// Message is a private message, in the order of its ID.
type Message struct {
	ID        MessageID
	From      UserID
	To        UserID
	Own       bool   // sent by the asking account, from wherever
	Text      string // HTML entities decoded, without markup; "Image" for a picture
	MediaType string // "none" or "image"
	MediaURL  string
	Seen      bool
	Time      string // as shown: minute precision, no zone, localised; never order by it
}

// Media reports whether the message is a picture.
func (m Message) Media() bool { return m.MediaType != "" && m.MediaType != "none" }

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

// AllMessages reads the messages with p.Peer page after page: with p.After everything newer than
// that, oldest first; otherwise everything older than p.Before, or everything there is, newest first.
// It leaves none out, so it reads on to a page without messages: that a page is short may also mean
// that the platform sends fewer than it is asked for.
func (c *Client) AllMessages(ctx context.Context, p MessagesParams) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		w := messageWalk{client: c, params: p, yield: yield}
		for w.step(ctx) {
		}
	}
}

// messageWalk reads the messages of a conversation, upward or downward.
type messageWalk struct {
	client *Client
	params MessagesParams
	yield  func(Message, error) bool

	last   MessageID       // the last one that was handed out; 0: none
	before *MessagesParams // not nil: of this page, the one before, only a part was kept
}

// step hands out one more page, and reports whether to go on.
func (w *messageWalk) step(ctx context.Context) bool {
	p := w.params
	read := pageRead{}
	page, err := w.client.Messages(context.WithValue(ctx, pageKey{}, &read), p)
	switch {
	case err != nil:
		w.yield(Message{}, err)
		return false
	// The only end that is sure. Each page is cut to its window, so what comes next is always further on.
	case len(page) == 0 && w.before == nil:
		return false
	case len(page) == 0:
		w.params, w.before = *w.before, nil
		w.params.Whole = true
		return true
	}
	w.before = nil
	if read.cut {
		w.before = &p
	}
	w.params.Whole = false
	if p.After == 0 {
		w.params.Before = page[0].ID
		slices.Reverse(page)
		return w.hand(page)
	}
	if !isShort(read.sent, p.PageSize) && !p.Whole {
		// A full page after an id may be the newest ones, with a gap below: reading on from its end would leave out what lies in between.
		if !w.fillGap(ctx, page[0].ID) {
			return false
		}
	}
	w.params.After = page[len(page)-1].ID
	return w.hand(page)
}

// hand hands out messages that were not, and reports whether to go on.
func (w *messageWalk) hand(page []Message) bool {
	for _, m := range page {
		if w.params.After > 0 && m.ID <= w.last || w.params.After == 0 && w.last > 0 && m.ID >= w.last {
			continue
		}
		w.last = m.ID
		if !w.yield(m, nil) {
			return false
		}
	}
	return true
}

// gapRows is how many of the messages in a gap are held; of those below them the pages are read twice.
const gapRows = 1000

// fillGap hands out the messages between params.After and top that the platform left out: whether it answers with the oldest
// or the newest page is not documented. It reads down to where the gap begins, and then up.
func (w *messageWalk) fillGap(ctx context.Context, top MessageID) bool {
	after := w.params.After
	var held []Message // the highest ones
	var pages []MessageID
	for low := top; ; {
		// Both cursors in one call are not documented.
		older, err := w.older(ctx, low)
		if err != nil {
			w.yield(Message{}, err)
			return false
		}
		left := messagesAbove(older, after)
		if len(left) == 0 {
			break
		}
		if len(held) < gapRows && len(pages) == 0 {
			held = append(slices.Clone(left), held...)
		} else {
			pages = append(pages, low)
		}
		if low = left[0].ID; len(left) < len(older) {
			break
		}
	}
	for _, low := range slices.Backward(pages) {
		older, err := w.older(ctx, low)
		if err != nil {
			w.yield(Message{}, err)
			return false
		}
		if !w.hand(messagesAbove(older, after)) {
			return false
		}
	}
	return w.hand(held)
}

// older reads the page before a message.
func (w *messageWalk) older(ctx context.Context, id MessageID) ([]Message, error) {
	return w.client.Messages(ctx, MessagesParams{Peer: w.params.Peer, Before: id, PageSize: w.params.PageSize})
}

// messagesAbove returns those of messages, sorted by id, that are higher than one.
func messagesAbove(items []Message, after MessageID) []Message {
	i, _ := slices.BinarySearchFunc(items, after+1, func(m Message, id MessageID) int { return cmp.Compare(m.ID, id) })
	return items[i:]
}

// sortedMessages sorts messages by id, and drops doubles.
func sortedMessages(items []Message) []Message {
	byID := func(a, b Message) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(items, byID) {
		slices.SortStableFunc(items, byID)
	}
	return slices.CompactFunc(items, func(a, b Message) bool { return a.ID == b.ID })
}
