package poll

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// listRow is what is remembered of a row of the chat list. There is one for each chat of an account, so
// it is small: 40 bytes.
type listRow struct {
	peer   platform.UserID
	digest uint64
	born   int64  // the last message is no younger than this, in Unix milliseconds; 0 where not known
	text   uint32 // hash of the last text; 0 while it was not decoded
	age    uint32 // as last looked at, in seconds plus one; 0 where it could not be read
	unread uint16
	state  rowState
}

// rowState is what is noted about a row.
type rowState uint8

const (
	rowNew      rowState = 1 << iota // it was not in the list before
	rowRead                          // its chat was read since it last changed
	rowUnproved                      // after a restart, nothing proves that all of its chat was read
	rowYounger                       // its age fell, and what that means has not been delivered
	rowSurfaced                      // it is new, and stood behind a cut of the lists before
	rowAbsent                        // the last whole list did not show it; where lists are all there is
)

// textHash returns a hash of a row's text, never 0.
func textHash(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text))
	return max(1, h.Sum32())
}

// takeAge takes the age of the row, as shown between began and ended, and reports whether it betrays a younger message:
// the age fell, or it grew by less than time went by.
func (r *listRow) takeAge(g *glance, began, ended time.Time) bool {
	age, unit, ok := g.shownAge()
	if !ok {
		r.age, r.born = 0, 0
		return false
	}
	earliest, latest := began.Add(-age-unit).UnixMilli(), ended.Add(-age).UnixMilli()+1
	younger := r.age != 0 && g.seconds < r.age || r.born != 0 && earliest > r.born
	r.age = g.seconds
	if younger || r.born == 0 || latest < r.born {
		r.born = latest
	}
	return younger
}

// listTakes is how long a list may be on its way, at most, with which a row came.
const listTakes = 30 * time.Second

// earliestTime returns when the last message was said at the earliest; zero where the row does not tell. The age that it shows is whole units.
func (r *listRow) earliestTime() time.Time {
	if r.born == 0 || r.age == 0 {
		return time.Time{}
	}
	unit := time.Minute
	for i := range ageUnits {
		if u := ageUnits[i].unit; time.Duration(r.age-1)*time.Second >= u {
			unit = max(unit, u)
		}
	}
	return time.UnixMilli(r.born).Add(-unit - listTakes)
}

// isOlder reports whether a row shows an older message than it did: one was deleted, or the list is an old one.
func (r *listRow) isOlder(g *glance, ended time.Time) bool {
	age, unit, ok := g.shownAge()
	return ok && r.born != 0 && ended.Add(-age+2*unit).UnixMilli() < r.born
}

// youngerThan reports whether the row shows an age of at most d.
func (r *listRow) youngerThan(d time.Duration) bool {
	return r.age != 0 && time.Duration(r.age-1)*time.Second <= d
}

// longSearches is the number of searches through all rows that are cheaper than an index.
const longSearches = 16

// finder finds rows. Most stand behind the one that was found last.
type finder struct {
	rows  []listRow
	next  int
	long  int
	index map[platform.UserID]int32
}

// rowOf returns where a peer's row stands, -1 for nowhere.
func (f *finder) rowOf(peer platform.UserID) int32 {
	at := int32(-1)
	switch {
	case f.next < len(f.rows) && f.rows[f.next].peer == peer:
		at = int32(f.next)
	case f.long < longSearches:
		f.long++
		for i := range f.rows {
			if f.rows[i].peer == peer {
				at = int32(i)
				break
			}
		}
	default:
		at = f.indexed(peer)
	}
	if at >= 0 {
		f.next = int(at) + 1
	}
	return at
}

func (f *finder) indexed(peer platform.UserID) int32 {
	if f.index == nil {
		f.index = make(map[platform.UserID]int32, len(f.rows))
		for i := range f.rows {
			f.index[f.rows[i].peer] = int32(i)
		}
	}
	if at, ok := f.index[peer]; ok {
		return at
	}
	return -1
}

// eachOvertaking calls f for each row that stood below another one and now stands above it. Rows whose
// place before is -1 are left out.
func eachOvertaking(was []int32, f func(i int)) {
	lowest := int32(math.MaxInt32)
	for i, place := range slices.Backward(was) {
		if place < 0 {
			continue
		}
		if place > lowest {
			f(i)
		}
		lowest = min(lowest, place)
	}
}

// ageUnits are the units of humanised times, in the spellings seen in clients and documentation.
var ageUnits = [...]struct {
	unit  time.Duration
	names [4]string
}{
	{time.Second, [4]string{"second", "sec", "s"}},
	{time.Minute, [4]string{"minute", "min", "m"}},
	{time.Hour, [4]string{"hour", "hr", "h"}},
	{24 * time.Hour, [4]string{"day", "d"}},
	{7 * 24 * time.Hour, [4]string{"week", "wk", "w"}},
	{30 * 24 * time.Hour, [4]string{"month", "mo"}},
	{365 * 24 * time.Hour, [4]string{"year", "yr", "y"}},
}

// Age reads a humanised English time, such as "5 minutes ago", as the platform shows it: what it tells of
// is at least age old, and younger than age+unit. Other languages are not read.
func Age(shown string) (age, unit time.Duration, ok bool) { return parseAge(shown) }

// maxAge is the highest age that is believed.
const maxAge = 100 * 365 * 24 * time.Hour

// parseAge reads a humanised English time: "just now", "5 minutes ago", "an hour ago", "3d". It
// returns the age and the unit in which it is counted. Other languages are not read.
func parseAge(text string) (age, unit time.Duration, ok bool) {
	text = strings.TrimSpace(text)
	if n := len(text) - len(" ago"); n > 0 && strings.EqualFold(text[n:], " ago") {
		text = text[:n]
	}
	if strings.EqualFold(text, "just now") || strings.EqualFold(text, "now") {
		return 0, time.Minute, true
	}
	if n := len("about "); len(text) > n && strings.EqualFold(text[:n], "about ") {
		text = text[n:]
	}
	count, word, ok := splitAge(text)
	if !ok {
		return 0, 0, false
	}
	if n := len(word) - 1; n > 0 && (word[n] == 's' || word[n] == 'S') {
		word = word[:n]
	}
	for _, u := range ageUnits {
		for _, name := range u.names {
			if name != "" && strings.EqualFold(word, name) {
				n := min(time.Duration(count), maxAge/u.unit+1) // no overflow
				return n * u.unit, u.unit, n*u.unit <= maxAge
			}
		}
	}
	return 0, 0, false
}

// splitAge splits "5 minutes", "5m" and "an hour" into a count, below 1,000, and a word.
func splitAge(text string) (count int, word string, ok bool) {
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	if digits == 0 {
		head, word, ok := strings.Cut(text, " ")
		return 1, word, ok && (strings.EqualFold(head, "a") || strings.EqualFold(head, "an"))
	}
	if digits > 3 {
		return 0, "", false
	}
	count, err := strconv.Atoi(text[:digits])
	return count, strings.TrimSpace(text[digits:]), err == nil
}
