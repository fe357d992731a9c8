package platform

import (
	"context"
	"errors"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

var (
	// errNoID is an answer about something that does not say what.
	errNoID = errors.New("it names no id")
	// errNoList is an answer without the list it should hold.
	errNoList = errors.New("it holds no list")
)

// readList makes a call that answers with a page of a list, and reads it row after row. The list is data itself, or the
// member of data with one of the names. Of the rows, the first ones are kept.
func readList[T any](
	ctx context.Context, c *Client, req request, row func(wire.Value) (T, bool), names ...string,
) ([]T, error) {
	about, _ := ctx.Value(pageKey{}).(*pageRead)
	page := kept[T]{most: req.params.rowsKept()}
	if about != nil && about.whole {
		page.most = 0
	}
	req.list = true
	err := c.call(ctx, req, func(e envelope) error {
		rows, ok := findList(e.data, names)
		if !ok {
			return errNoList
		}
		page.begin()
		for rows.Next() {
			page.add(row(rows.Val))
		}
		if page.sent > 0 && page.read == 0 {
			return errNoID // every row is odd: it is the reading that is wrong
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if about != nil {
		about.sent, about.cut = page.sent, page.most > 0 && page.read > page.most
	}
	return page.items, nil
}

func findList(data wire.Value, names []string) (wire.List, bool) {
	rows, ok := data.Items()
	for i := 0; !ok && i < len(names); i++ {
		if inner := data.Member(names[i]); inner != nil {
			rows, ok = inner.Items()
		}
	}
	return rows, ok
}

// rowsOf reads a list inside of a row; what is no list is an empty one.
func rowsOf[T any](v wire.Value, row func(wire.Value) (T, bool)) (found []T) {
	rows, _ := v.Items()
	for rows.Next() {
		if item, ok := row(rows.Val); ok {
			found = append(found, item)
		}
	}
	return found
}
