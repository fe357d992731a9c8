package engine

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// calendarHolds reports whether it is one of the days that a condition names, on the wall of the file.
func (d *decider) calendarHolds(c *cond) (bool, string) {
	if len(c.Day) == 0 && len(c.Date) == 0 {
		return true, ""
	}
	now := d.now.In(d.scopeOf().zone)
	today := text.DayOf(now)
	ok := len(c.Day) == 0 || grammar.IsOn(c.Day, int(now.Weekday()))
	return ok && (len(c.Date) == 0 || isAmong(today, c.Date)), "day: it is " + now.Format("Mon ") + today.String()
}

// isAmong reports whether a day is one of some.
func isAmong(day text.Day, dates []text.Dates) bool {
	return slices.ContainsFunc(dates, func(s text.Dates) bool { return s.Holds(day) })
}

// opensOn reports whether we begin to work on the day of t.
func opensOn(h *text.Hours, t time.Time) bool {
	return !isAmong(text.DayOf(t), h.ClosedOn) && slices.ContainsFunc(h.Open, func(o text.Opening) bool { return o.Days[t.Weekday()] })
}

// nextOpen says when we are at work again, for who reads it when it is due: the next opening, also while we are. What waits for a person is read
// nobody knows when, and names the day.
func (d *decider) nextOpen(due time.Time) string {
	s := d.at.Scope
	if s.Hours == nil {
		return ""
	}
	due = due.In(s.zone)
	at, ok := s.Hours.NextOpen(due)
	switch {
	case !ok:
		return ""
	case at.Equal(due):
		at = laterOpening(s.Hours, due)
		// What is decided just before we open, and said just behind that, is not put off until the day after.
		first, _ := s.Hours.NextOpen(d.now.In(s.zone)) // there is one
		if first.After(d.now) && text.DayOf(first) == text.DayOf(due) && laterOpening(s.Hours, first).Equal(at) {
			at = first
		}
	}
	if d.status == decision.Ask {
		return s.Language.ShowDay(at, due)
	}
	return s.Language.ShowWhen(at, due)
}

// closingWithin is how many days ahead a closing is looked for, while we are at work.
const closingWithin = 14

// laterOpening returns when we begin to work the next time, after the time that has begun: when the next time ends in which we do not. Who never
// closes begins with the next day.
func laterOpening(h *text.Hours, now time.Time) time.Time {
	today := text.DayOf(now)
	midnight := func(days int) time.Time {
		return time.Date(today.Year, today.Month, today.Day+days, 0, 0, 0, 0, now.Location())
	}
	for i := range closingWithin {
		if closed, ok := closing(h, now, midnight(i), midnight(i+1)); ok {
			if next, ok := h.NextOpen(closed); ok {
				return next
			}
			break
		}
	}
	return midnight(1)
}

// closing returns the first minute after now, on the day from start to end, at which we are not at work.
func closing(h *text.Hours, now, start, end time.Time) (time.Time, bool) {
	const day = 24 * 60
	var minutes []int // at which we may close
	if end.Sub(start) == day*time.Minute && start.Hour() == 0 {
		minutes = append(minutes, 0)
		for _, o := range h.Open {
			minutes = append(minutes, int(o.From)%day, int(o.To)%day)
		}
		slices.Sort(minutes)
	} else { // the clocks change on this day: an opening may end late, or twice
		for m := range int(end.Sub(start) / time.Minute) {
			minutes = append(minutes, m)
		}
	}
	for _, m := range minutes {
		if at := start.Add(time.Duration(m) * time.Minute); at.After(now) && !h.OpenAt(at) {
			return at, true
		}
	}
	return time.Time{}, false
}
