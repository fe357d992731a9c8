package inspect

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// mostSifted is how many notices are looked at for those of a page that are wanted.
const mostSifted = 10_000

// Notices returns a page of notices, newest first: of those that are wanted, or of all when wanted is nil. A page of which little was wanted may have
// fewer than the query's Limit: it looks at ten thousand, or on to the first one that is wanted. The query's After is that of the page.
func Notices(ctx context.Context, i Reader, q record.NoticeQuery, wanted func(*event.Notice) bool, after Cursor) (page Page[event.Notice], err error) {
	filters := []any{"notices", q.Account}
	place, err := placeOf[*noticePlace](after, filters...)
	if err != nil {
		return page, err
	}
	limit := pageLength(q.Limit)
	q.Limit, q.After = limit+1, place.notice()
	if wanted != nil {
		q.Limit = max(q.Limit, mostSifted)
	}
	for {
		rows, err := i.Notices(ctx, q)
		if err != nil {
			return page, err
		}
		for n := range rows {
			if wanted != nil && !wanted(&rows[n]) {
				continue
			}
			if len(page.Rows) == limit {
				page.Next, err = cursorAt(placeOfNotice(&page.Rows[limit-1]), filters...)
				return page, err
			}
			page.Rows = append(page.Rows, rows[n])
		}
		if len(rows) < q.Limit {
			return page, nil
		}
		q.After = &rows[len(rows)-1]
		if len(page.Rows) > 0 {
			page.Next, err = cursorAt(placeOfNotice(q.After), filters...)
			return page, err
		}
	}
}

// noticePlace is a notice's place among all.
type noticePlace struct {
	At      int64         `json:"at"` // in microseconds
	Account event.Account `json:"account,omitempty"`
	ID      string        `json:"id"`
}

func placeOfNotice(n *event.Notice) noticePlace {
	return noticePlace{n.At.UnixMicro(), n.Account, n.ID}
}

// notice returns what a query knows the place by; nil for the beginning.
func (p *noticePlace) notice() *event.Notice {
	if p == nil {
		return nil
	}
	return &event.Notice{Account: p.Account, ID: p.ID, At: time.UnixMicro(p.At)}
}
