package text

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Hours are when we are at work.
type Hours struct {
	textfile.At
	Open     textfile.List[Opening] `text:"open,required" about:"When we are at work, for example Mon-Fri 09:00-18:30; several as a list."`
	ClosedOn textfile.List[Dates]   `text:"closed_on" about:"Days on which we are not, for example 2026-12-25, 2027-08-01..2027-08-15, or each year 12-24..01-06."` // what begins on them does not take place
}

// OpenAt reports whether we are at work at t, by the clock on the wall in the zone of t.
func (h Hours) OpenAt(t time.Time) bool {
	today, yesterday := h.day(DayOf(t)), h.day(DayOf(t.AddDate(0, 0, -1)))
	minute := clockOf(t)
	for _, o := range h.Open {
		early, late := holdsMinute(minute, o.From, o.To)
		if early && today >= 0 && o.Days[today] || late && yesterday >= 0 && o.Days[yesterday] {
			return true
		}
	}
	return false
}

// day returns the day of the week, or -1 when we are closed.
func (h Hours) day(d Day) int {
	if slices.ContainsFunc(h.ClosedOn, func(closed Dates) bool { return closed.Holds(d) }) {
		return -1
	}
	return int(time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC).Weekday())
}

// farthest is how many days ahead an opening is looked for.
const farthest = 400

// NextOpen returns the next moment at which we are at work, t itself when we are. It returns false when
// there is none in the 400 days to come.
func (h Hours) NextOpen(t time.Time) (time.Time, bool) {
	if h.OpenAt(t) {
		return t, true
	}
	today := DayOf(t)
	for i := range farthest {
		start := time.Date(today.Year, today.Month, today.Day+i, 0, 0, 0, 0, t.Location())
		end := time.Date(today.Year, today.Month, today.Day+i+1, 0, 0, 0, 0, t.Location())
		if next, ok := h.nextOn(t, start, end); ok {
			return next, true
		}
	}
	return time.Time{}, false
}

// nextOn returns the first moment after t, on the day from start to end, at which we are at work.
func (h Hours) nextOn(t, start, end time.Time) (next time.Time, ok bool) {
	consider := func(at time.Time) {
		if at.After(t) && (!ok || at.Before(next)) && h.OpenAt(at) {
			next, ok = at, true
		}
	}
	if sameOffset(start, end) && clockOf(start) == 0 {
		consider(start)
		for _, o := range h.Open {
			consider(start.Add(time.Duration(o.From) * time.Minute))
		}
		return next, ok
	}
	// The clocks change on this day: an opening may begin late, or twice.
	for at := start; at.Before(end) && !ok; at = at.Add(time.Minute) {
		consider(at)
	}
	return next, ok
}

func sameOffset(a, b time.Time) bool {
	_, x := a.Zone()
	_, y := b.Zone()
	return x == y
}
