package platform

import (
	"context"
	"errors"
	"iter"

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

// All reads a list page after page, from p on to its end: platform.All(ctx, client.Feed, platform.PageParams{}). It takes the
// lists of posts, people, notifications and hashtags, and leaves adverts out; messages have [Client.AllMessages].
//
// The end is an empty or a short page, or one that brings nothing new. Rows move between pages while they are read, so a
// row may come again; it is handed out once.
func All[T listed, P paged[P]](ctx context.Context, list func(context.Context, P) ([]T, error), p P) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen, before := make(map[int64]struct{}), (*P)(nil)
		for whole := false; ; {
			paging, read := p.paging(), pageRead{whole: whole}
			items, err := list(context.WithValue(ctx, pageKey{}, &read), p)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			// By what the platform sent, not by what could be read of it: a page of which a row was left out is not short.
			rows, last, progress := max(read.sent, len(items)), paging.offset, false
			for _, item := range items {
				place := item.place()
				if paging.byID {
					place.key, place.cursor = place.id, place.id
				}
				// An advert is in no list: it neither makes a page full, nor is it where the next one begins.
				if place.skip {
					rows--
					continue
				}
				last = place.cursor
				if _, again := seen[place.key]; again {
					continue
				}
				seen[place.key] = struct{}{}
				progress = true
				if !yield(item, nil) {
					return
				}
			}
			switch {
			// Nothing follows, and of the page before only a part was kept: what is missing stands there.
			case !progress && before != nil: //mutate:page-again
				p, whole, before = *before, true, nil
				continue
			// A platform that does not know the parameter shows the same page again and again.
			case !progress || last == paging.offset || isShort(rows, paging.size):
				return
			}
			whole, before = false, nil
			if at := p; read.cut {
				before = &at
			}
			p = p.behind(last)
		}
	}
}

// isShort reports whether a page is the last one. A deployment may send fewer rows than it is asked
// for, but hardly fewer than it recommends.
func isShort(rows, size int) bool { return rows < min(pageSize(size), defaultPageSize) }

// pageKey is the key of a *pageRead, for callers that want to know more of a page than its rows.
type pageKey struct{}

// pageRead says how a page is read, and how much of it was.
type pageRead struct {
	whole bool // keep all rows
	sent  int  // rows that the platform sent, also those that could not be read
	cut   bool // some of them were not kept
}

// paged are the parameters of a page.
type paged[P any] interface {
	paging() paging
	behind(cursor int64) P // the parameters of the page behind this row
}

type paging struct {
	size   int   // rows per page; 0 for the default
	offset int64 // the cursor to begin behind; 0 for the beginning
	byID   bool  // rows go by their ids, also where they have numbers
}

// listed is a row of a list.
type listed interface{ place() place }

type place struct {
	id, cursor int64
	key        int64 // identifies the row
	skip       bool  // it is not of the list
}

// place of a post. Where a list has no rows of its own, the post id is the cursor. A repost has the id of its post, but a
// row of its own.
func (p Post) place() place {
	row := int64(p.Row)
	if row == 0 {
		row = int64(p.ID)
	}
	return place{id: int64(p.ID), cursor: row, key: row, skip: p.Advertising}
}

// place of a person. Search results carry no Row; their id is the cursor.
func (p Person) place() place {
	row := int64(p.Row)
	if row == 0 {
		row = int64(p.ID)
	}
	return place{id: int64(p.ID), cursor: row, key: int64(p.ID)}
}

func (n Notification) place() place { return placeOf(int64(n.ID)) }

func (h Hashtag) place() place { return placeOf(h.ID) }

func placeOf(id int64) place { return place{id: id, cursor: id, key: id} }

func (p PageParams) paging() paging { return paging{size: p.PageSize, offset: int64(p.Offset)} }

func (p PageParams) behind(cursor int64) PageParams {
	p.Offset = RowID(cursor)
	return p
}

func (p PeopleParams) paging() paging { return paging{size: p.PageSize, offset: int64(p.Offset)} }

func (p PeopleParams) behind(cursor int64) PeopleParams {
	p.Offset = RowID(cursor)
	return p
}

func (p LikesParams) paging() paging { return paging{size: p.PageSize, offset: int64(p.Offset)} }

func (p LikesParams) behind(cursor int64) LikesParams {
	p.Offset = RowID(cursor)
	return p
}

func (p ProfilePostsParams) paging() paging {
	return paging{size: p.PageSize, offset: int64(p.Offset)}
}

func (p ProfilePostsParams) behind(cursor int64) ProfilePostsParams {
	p.Offset = RowID(cursor)
	return p
}

func (p SearchParams) paging() paging { return paging{size: p.PageSize, offset: int64(p.Offset)} }

func (p SearchParams) behind(cursor int64) SearchParams {
	p.Offset = RowID(cursor)
	return p
}

func (p NotificationsParams) paging() paging {
	return paging{size: p.PageSize, offset: int64(p.Offset)}
}

func (p NotificationsParams) behind(cursor int64) NotificationsParams {
	p.Offset = NotificationID(cursor)
	return p
}

func (p ThreadRepliesParams) paging() paging {
	return paging{size: p.PageSize, offset: int64(p.Offset), byID: true}
}

func (p ThreadRepliesParams) behind(cursor int64) ThreadRepliesParams {
	p.Offset = PostID(cursor)
	return p
}
