package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/platform"
)

// compareList compares one of the notification lists.
func (a *audit) compareList(ctx context.Context, source event.Source, kind platform.NotificationType) error {
	cursor, begun, err := a.readCursor(ctx, source)
	if err != nil {
		return err
	}
	if !begun {
		a.noteFinding("the %s were not looked at: the bot has never polled them", kind)
		return nil
	}
	from, err := a.startNumber(ctx, source, int64(cursor.Mark))
	if err != nil {
		return err
	}
	seen := map[int64]bool{}
	var rows []shownEvent
	var shown []event.Event
	err = a.pages(ctx, kind, platform.NotificationID(from), func(n platform.Notification) {
		if seen[int64(n.ID)] || n.From == a.me {
			return
		}
		seen[int64(n.ID)] = true
		age, _, _ := poll.Age(n.Time)
		rows = append(rows, shownEvent{int64(n.ID), n.From, n.Name, age})
		shown = append(shown, event.Event{ID: event.ID{Source: source, Number: int64(n.ID)}, Peer: n.From, Post: n.Post})
	})
	if err != nil {
		return err
	}
	a.compared++
	if err := a.again(ctx, source, shown); err != nil {
		return err
	}
	return a.compare(ctx, source, rows, cursor, cursor.PolledAt)
}

// again notes rows that stand under ids of others: those were handled, and they are not.
func (a *audit) again(ctx context.Context, source event.Source, shown []event.Event) error {
	numbers := make([]int64, len(shown))
	for i := range shown {
		numbers[i] = shown[i].ID.Number
	}
	was, err := a.Store.Whose(ctx, a.Account, source, numbers)
	if err != nil {
		return err
	}
	var others []string
	for i := range shown {
		if old, known := was[shown[i].ID.Number]; known && shown[i].IsAnother(&old) { //mutate:audit-again
			others = append(others, shown[i].ID.String())
		}
	}
	if len(others) > 0 {
		a.noteFinding("the platform shows other people and posts under %d ids that were handled before; these are not handled: %s", len(others), strings.Join(others, ", "))
	}
	return nil
}

// pages reads a list from its newest row down to from, and calls each with the rows above it.
func (a *audit) pages(ctx context.Context, kind platform.NotificationType, from platform.NotificationID, each func(platform.Notification)) error {
	var low platform.NotificationID
	for n := range a.Pages {
		a.Progress(fmt.Sprintf("%s: the %s, page %d", a.Account, kind, n+1))
		page, err := call(ctx, a, func(ctx context.Context) ([]platform.Notification, error) {
			return a.Client.Notifications(ctx, platform.NotificationsParams{Type: kind, Offset: low})
		})
		if err != nil {
			return fmt.Errorf("read the %s: %w", kind, err)
		}
		lowest := low
		for _, n := range page {
			if lowest == 0 || n.ID < lowest {
				lowest = n.ID
			}
			if n.ID > from {
				each(n)
			}
		}
		if len(page) == 0 || lowest == low || lowest <= from {
			return nil
		}
		low = lowest
	}
	a.noteFinding("the %s were read for %d pages only; a shorter time reads them whole", kind, a.Pages)
	return nil
}
