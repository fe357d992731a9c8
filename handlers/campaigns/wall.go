package campaigns

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// wall reads the clock on the wall of a zone. It says what text.Day.At says; where the zone's offset does not change for more
// than a day on both sides, it can say so without asking.
type wall struct {
	zone       *time.Location
	start, end int64 // seconds since 1970 between which offset holds, with a margin; start > end: not known
	offset     int64
}

// margin is more than clocks differ anywhere, also over the date line.
const margin = 27 * 60 * 60

func newWall(zone *time.Location) wall { return wall{zone: zone, start: 1} }

// at returns when the clock shows c on a day, which is given twice: n is its dayNumber. Plain says that no change of clocks is near.
func (w *wall) at(day text.Day, n int, c text.Clock) (at time.Time, plain bool) {
	unix := int64(n)*86400 + int64(c)*60
	if u := unix - w.offset; w.start <= u && u < w.end {
		return time.Unix(u, 0).In(w.zone), true
	}
	at = day.At(c, w.zone) //mutate:slots-wall
	start, end := at.ZoneBounds()
	_, offset := at.Zone()
	w.offset, w.start, w.end = int64(offset), -1<<60, 1<<60
	if !start.IsZero() {
		w.start = start.Unix() + margin
	}
	if !end.IsZero() {
		w.end = end.Unix() - margin
	}
	return at, false
}

// dayBegins returns a time, in seconds since 1970, before which no clock shows a day, or a later one: where no change of clocks is near, when the
// day begins.
func (w *wall) dayBegins(n int) int64 {
	if u := int64(n)*86400 - w.offset; w.start <= u && u < w.end {
		return u
	}
	return int64(n-1) * 86400 // no clock on a wall is more than a day ahead of the one in Greenwich
}

// has reports whether there is such a day: where the date line moved, one is missing.
func (w *wall) has(day text.Day, n int) bool {
	first, _ := w.at(day, n, 0)
	return text.DayOf(first) == day
}

// dayNumber counts days since 1970.
func dayNumber(d text.Day) int {
	return int(time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// numberedDay is the day of a dayNumber.
func numberedDay(n int) text.Day { return text.DayOf(time.Unix(int64(n)*86400, 0).UTC()) }
