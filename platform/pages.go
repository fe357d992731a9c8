package platform

import "iter"

// pager says how a list is read page after page.
type pager[T any, C ~int64] struct {
	size   int // rows per page; 0 for the default
	from   C   // the cursor to begin behind; 0 for the beginning
	key    func(T) int64
	cursor func(T) C
	skip   func(T) bool // rows that are not of the list; nil for none
}

// pages reads a list to its end: to an empty or a short page, or to one that brings nothing new.
// Rows move between pages while they are read, so a row may come again; it is handed out once.
func pages[T any, C ~int64](p pager[T, C], fetch func(C) (page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := make(map[int64]struct{})
		for from := p.from; ; {
			got, err := fetch(from)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			rows, last, progress := got.rows, from, false
			for _, item := range got.items {
				if p.skip != nil && p.skip(item) {
					rows--
					continue
				}
				last = p.cursor(item)
				if _, again := seen[p.key(item)]; again {
					continue
				}
				seen[p.key(item)] = struct{}{}
				progress = true
				if !yield(item, nil) {
					return
				}
			}
			if !progress || last == from || isShort(rows, p.size) {
				return
			}
			from = last
		}
	}
}

// isShort tells whether a page is the last one. A deployment may send fewer rows than it is asked
// for, but hardly fewer than it recommends.
func isShort(rows, size int) bool { return rows < min(pageSize(size), defaultPageSize) }
