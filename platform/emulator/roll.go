package emulator

import (
	"slices"

	"github.com/nectar-bot/nectar/platform"
)

// roll is a list of things that can be struck out again: the people who like a post, the people
// somebody follows. Each thing is in it once, under a row that only grows. The zero value is empty.
type roll[K comparable] struct {
	rows []rollEntry[K] // by id
	ids  map[K]platform.RowID
}

type rollEntry[K comparable] struct {
	id  platform.RowID
	key K
}

func (r *roll[K]) len() int { return len(r.rows) }

func (r *roll[K]) has(key K) bool {
	_, ok := r.ids[key]
	return ok
}

// add puts key under id, which is larger than every id before.
func (r *roll[K]) add(id platform.RowID, key K) {
	if r.ids == nil {
		r.ids = map[K]platform.RowID{}
	}
	r.ids[key] = id
	r.rows = append(r.rows, rollEntry[K]{id, key})
}

// remove strikes key out and reports whether it was there.
func (r *roll[K]) remove(key K) bool {
	id, ok := r.ids[key]
	if !ok {
		return false
	}
	delete(r.ids, key)
	i := r.search(id)
	r.rows = slices.Delete(r.rows, i, i+1)
	return true
}

// at returns what stands under id.
func (r *roll[K]) at(id platform.RowID) (K, bool) {
	if i := r.search(id); i < len(r.rows) && r.rows[i].id == id {
		return r.rows[i].key, true
	}
	var none K
	return none, false
}

// rowsBefore returns at most n rows below offset that want picks, the newest first; from the newest
// for offset 0.
func (r *roll[K]) rowsBefore(offset platform.RowID, n int, want func(K) bool) []rollEntry[K] {
	end := len(r.rows)
	if offset > 0 {
		end = r.search(offset)
	}
	return find(r.rows[:end], n, func(r rollEntry[K]) bool { return want(r.key) })
}

// search returns the position of the first row that is not below id.
func (r *roll[K]) search(id platform.RowID) int {
	i, _ := slices.BinarySearchFunc(r.rows, id, func(r rollEntry[K], id platform.RowID) int {
		return int(r.id - id)
	})
	return i
}
