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
		for {
			page, err := c.messages(ctx, p)
			if err == nil && p.After > 0 && !isShort(page.rows, p.PageSize) {
				// A full page after an id may be the newest ones, with a gap below: whoever goes on from its end would never read what lies in between.
				page.items, err = c.fillGap(ctx, p, page.items)
			}
			if err != nil {
				yield(Message{}, err)
				return
			}
			// The only end that is sure. Each page is cut to its window, so what comes next is always further on.
			if len(page.items) == 0 {
				return
			}
			if p.After > 0 {
				p.After = page.items[len(page.items)-1].ID
			} else {
				p.Before = page.items[0].ID
				slices.Reverse(page.items)
			}
			for _, m := range page.items {
				if !yield(m, nil) {
					return
				}
			}
		}
	}
}

// fillGap returns items, a full page behind p.After, with the messages between the two that the
// platform left out: whether it answers with the oldest or the newest page is not documented.
func (c *Client) fillGap(ctx context.Context, p MessagesParams, items []Message) ([]Message, error) {
	after := p.After
	for len(items) > 0 {
		// Both cursors in one call are not documented.
		older, err := c.messages(ctx, MessagesParams{Peer: p.Peer, Before: items[0].ID, PageSize: p.PageSize})
		if err != nil {
			return nil, err
		}
		left := inWindow(older.items, after, items[0].ID)
		items = append(left, items...)
		if len(left) == 0 || len(left) < len(older.items) {
			break
		}
	}
	return items, nil
}

// inWindow sorts messages by id and drops doubles and those outside of the cursors, which a platform
// that does not know a cursor sends.
func inWindow(items []Message, after, before MessageID) []Message {
	items = slices.DeleteFunc(items, func(m Message) bool {
		return m.ID <= after || before > 0 && m.ID >= before
	})
	byID := func(a, b Message) int { return cmp.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(items, byID) {
		slices.SortStableFunc(items, byID)
	}
	return slices.CompactFunc(items, func(a, b Message) bool { return a.ID == b.ID })
}
