package engine

import (
	"slices"
	"time"

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
