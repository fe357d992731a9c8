package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	chatsKept = 1000 // of the newest ones, the doctor looks at
	nearBound = 0.8  // of what a list may take, there is something to say
)

// chatList is what the doctor knows of the chat list.
type chatList struct {
	platform.ChatList
	cut *platform.Cut
}

func lookChats(ctx context.Context, p *patient) (string, Status, error) {
	unread := 0
	list, err := p.client.ChatRows(ctx, func(i int, row *platform.ChatRow) {
		if i == 0 {
			p.chats, unread = nil, 0
		}
		if unread += row.Unread; i < chatsKept {
			p.chats = append(p.chats, row.Decode())
		}
	})
	cut := (*platform.Cut)(nil)
	if err != nil && !errors.As(err, &cut) {
		return "", Failed, err
	}
	p.list = chatList{list, cut}
	said := fmt.Sprintf("chats: %d; unread messages: %d", list.Rows, unread)
	if cut != nil {
		return said + "; there are more, which do not arrive", Odd, nil //nolint:nilerr // what arrived counts
	}
	return said, Good, nil
}

// lookLength says how near the chat list comes to the bounds.
func lookLength(_ context.Context, p *patient) (string, Status, error) {
	l := p.list
	if l.Limit == 0 {
		return "not tried: the chat list cannot be read", Odd, nil
	}
	said := fmt.Sprintf("%.0f %% of the limit of %s; %.0f %% of the %v for an answer",
		100*l.OfLimit(), humanize.IBytes(uint64(max(l.Limit, 0))), 100*l.OfTimeout(), l.Timeout)
	switch {
	case l.cut != nil:
		return fmt.Sprintf("%s; the list is cut by the %s, and only its newest chats are heard at once: %s", said, l.cut.By, event.CutAdvice(l.cut.By)), Odd, nil //nolint:nilerr // a finding, no failure
	case l.OfLimit() >= nearBound:
		return said + "; what does not fit will not be heard at once: " + event.CutAdvice(platform.CutByLimit), Odd, nil
	case l.OfTimeout() >= nearBound:
		return said + "; what does not arrive in time will not be heard at once: " + event.CutAdvice(platform.CutByDeadline), Odd, nil
	}
	return said, Good, nil
}
