package platform

import (
	"context"
	"slices"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

// leastKept is how many rows of a page are kept, however few it was asked for.
const leastKept = 200

// RowsKept returns how many rows of a page are kept that was asked for size of them. A platform may send more than it is asked
// for, as many as fit an answer; whoever gets so many asks for the rest with the next page.
func RowsKept(size int) int { return max(leastKept, 4*pageSize(size)) }

// kept are the rows of a page that are kept while it is read: the nearest ones to where the reading came from.
type kept[T any] struct {
	items []T
	sent  int // rows that the platform sent, also those that could not be read, or are not kept
	read  int // of these, those that could be read

	most    int                // that are kept; 0: all
	nearest func(a, b *T) int  // a negative number when a is nearer; 0: they are one row; nil: as they come
	outside func(item *T) bool // rows that nobody asked for; nil: there are none
	decode  func(wire.Value) (T, bool)
}

// begin is called before the first row, again should there be another list in its place.
func (k *kept[T]) begin() { k.items, k.sent, k.read = nil, 0, 0 }

// readRow implements rowReader.
func (k *kept[T]) readRow(b []byte, i int) (end int) {
	if end = wire.Skip(b, i, 2); end >= 0 {
		k.add(k.decode(b[i:end]))
	}
	return end
}

// add takes the next row, if it could be read.
func (k *kept[T]) add(item T, ok bool) {
	if k.sent++; !ok {
		return
	}
	k.read++
	switch {
	case k.outside != nil && k.outside(&item):
		return
	case k.nearest == nil && k.most > 0 && len(k.items) == k.most: //mutate:rows-first
		return
	}
	k.items = append(k.items, item)
	// Now and then, so that there are never more than twice as many, however many come.
	if k.nearest != nil && k.most > 0 && len(k.items) >= 2*k.most {
		k.cut()
	}
}

// cut drops the rows that are too many, the farthest ones. Where there are not, it changes nothing.
func (k *kept[T]) cut() {
	if k.most == 0 || len(k.items) <= k.most { //mutate:rows-kept
		return
	}
	slices.SortStableFunc(k.items, func(a, b T) int { return k.nearest(&a, &b) })
	k.items = slices.CompactFunc(k.items, func(a, b T) bool { return k.nearest(&a, &b) == 0 })
	if len(k.items) > k.most {
		clear(k.items[k.most:])
		k.items = k.items[:k.most]
	}
}

// streamRows makes a call that answers with a page of a list, and reads it while it arrives: of an answer of megabytes, no more is held than
// a window and the rows that are kept.
func (k *kept[T]) streamRows(ctx context.Context, c *Client, req request) ([]T, error) {
	about, _ := ctx.Value(pageKey{}).(*pageRead)
	if about != nil && about.whole {
		k.most = 0
	}
	l := rowCall{rows: k, whole: true, took: func() (rows, sent int) { return k.read, k.sent }}
	req.list, req.rows = true, &l
	if err := c.call(ctx, req, nil); err != nil {
		return nil, err
	}
	if about != nil {
		about.sent, about.cut = k.sent, k.most > 0 && k.read > k.most
	}
	k.cut()
	return k.items, nil
}
