package poll

import "slices"

// tailSize bounds how many ids a tail remembers.
const tailSize = 64

// tail remembers which of the newest ids of a list were read. An id below the newest can still be
// new: a platform that writes two rows at a time may show the higher one first.
type tail struct {
	lowWater int64    // everything up to here counts as read
	ids      []int64  // ascending, all above low-water mark
	odd      *[]int64 // ids that are not believed, see leap.Level: each counts by itself; nil while there are none
}

func (t *tail) hasID(id int64) bool {
	// Also if nobody has read it: chats share the ids of the platform, so most gaps are never filled, and none can be waited for.
	if id <= t.lowWater {
		return true
	}
	_, found := slices.BinarySearch(t.ids, id)
	return found || t.odd != nil && slices.Contains(*t.odd, id)
}

// addOdd remembers an id by itself.
func (t *tail) addOdd(id int64) {
	if t.hasID(id) {
		return
	}
	if t.odd == nil {
		t.odd = &[]int64{}
	}
	if *t.odd = append(*t.odd, id); len(*t.odd) > tailSize {
		*t.odd = slices.Delete(*t.odd, 0, 1)
	}
}

func (t *tail) add(id int64) {
	at, found := slices.BinarySearch(t.ids, id)
	if found || id <= t.lowWater {
		return
	}
	t.ids = slices.Insert(t.ids, at, id)
	// The older half alone: a row that is shown late is still found behind as many later ones as the other half has.
	if len(t.ids) > tailSize {
		t.forgetUpTo(t.ids[tailSize/2])
	}
}

// forgetUpTo forgets the ids up to id: they count as read.
func (t *tail) forgetUpTo(id int64) {
	t.lowWater = max(t.lowWater, id)
	at, _ := slices.BinarySearch(t.ids, t.lowWater+1)
	t.ids = slices.Delete(t.ids, 0, at)
	if len(t.ids) == 0 {
		t.ids = nil
	}
}
