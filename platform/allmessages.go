package platform

import (
	"cmp"
	"context"
	"iter"
	"slices"
)

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

	last   MessageID       // that was handed out; 0: none
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
		// A full page after an id may be the newest ones, with a gap below: whoever goes on from its end would never read what lies in between.
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
