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

// page is a page of a list.
type page[T any] struct {
	items []T
	rows  int // how many rows the platform sent, also those that could not be read
}

// readList makes a call that answers with a list. The list is data itself, or the member of data
// with one of the names.
func readList[T any](
	ctx context.Context, c *Client, req request, row func(wire.Value) (T, bool), names ...string,
) (page[T], error) {
	var found page[T]
	req.list = true
	err := c.call(ctx, req, func(e envelope) error {
		rows, ok := findList(e.data, names)
		if !ok {
			return errNoList
		}
		for rows.Next() {
			found.rows++
			if item, ok := row(rows.Val); ok {
				found.items = append(found.items, item)
			}
		}
		if found.rows > 0 && len(found.items) == 0 {
			return errNoID // every row is odd: it is the reading that is wrong
		}
		return nil
	})
	if err != nil {
		return page[T]{}, err
	}
	if sent, ok := ctx.Value(sentKey{}).(*int); ok {
		*sent = found.rows
	}
	return found, nil
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
