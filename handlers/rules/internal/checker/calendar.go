package checker

import (
	"cmp"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// round is how many days are looked at from a day on: after 28 years the days of the week come back.
const round = 28 * 366

// checkCalendar checks that there is a day on which conditions hold, and that it lies ahead.
func (c *checker) checkCalendar(f *grammar.File, conditions grammar.Conditions) {
	days := grammar.Weekdays{true, true, true, true, true, true, true}
	every := days
	var dates [][]text.Dates
	var last textfile.At
	for i := range conditions {
		cond := &conditions[i]
		if cond.Hours == grammar.Open && c.Hours(f) != nil {
			days = commonDays(days, worked(c.Hours(f)))
		}
		if len(cond.Day) == 0 && len(cond.Date) == 0 {
			continue
		}
		last = cond.At
		if len(cond.Day) > 0 {
			named := grammar.Weekdays{}
			for d := range named {
				named[d] = grammar.IsOn(cond.Day, d)
			}
			if named == every {
				c.add(cond.At, "day: these are all days of the week: leave it out")
			}
			days = commonDays(days, named)
		}
		if len(cond.Date) > 0 {
			dates = append(dates, cond.Date)
			c.past(cond.At, "date", cond.Date)
		}
	}
	if last.Line > 0 && !meet(days, dates) {
		c.add(last, "day and date: no day is all that these conditions ask for, so they never hold")
	}
}

// worked returns the days of the week on which we are at work, be it since the evening before.
func worked(h *text.Hours) (days grammar.Weekdays) {
	for _, o := range h.Open {
		for d, opens := range o.Days {
			days[d] = days[d] || opens
			days[(d+1)%len(days)] = days[(d+1)%len(days)] || opens && o.To < o.From
		}
	}
	return days
}

func commonDays(a, b grammar.Weekdays) grammar.Weekdays {
	for d := range a {
		a[d] = a[d] && b[d]
	}
	return a
}

// meet reports whether there is a day of the week among some that is one of each of some dates.
func meet(days grammar.Weekdays, dates [][]text.Dates) bool {
	if len(dates) == 0 {
		return days != grammar.Weekdays{}
	}
	from := []time.Time{noon(text.DayOf(time.Now()))}
	for _, s := range slices.Concat(dates...) {
		if s.From.Year > 0 {
			from = append(from, noon(s.From))
		}
	}
	return slices.ContainsFunc(from, func(day time.Time) bool {
		for range round {
			without := func(of []text.Dates) bool {
				return !slices.ContainsFunc(of, func(s text.Dates) bool { return s.Holds(text.DayOf(day)) })
			}
			if days[day.Weekday()] && !slices.ContainsFunc(dates, without) {
				return true
			}
			day = day.AddDate(0, 0, 1)
		}
		return false
	})
}

func noon(d text.Day) time.Time { return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC) }

// isOver reports whether a day is over wherever on Earth.
func (c *checker) isOver(d text.Day) bool {
	return noon(d).Before(cmp.Or(c.Around.Now, time.Now()).AddDate(0, 0, -1))
}

// past hints at days that are over.
func (c *checker) past(at textfile.At, key string, dates []text.Dates) {
	for _, s := range dates {
		if s.To.Year > 0 && c.isOver(s.To) {
			c.noteHint(at, "%s: %s is over, and does not come again: is the year right? What comes each year is written without one: 12-24..01-06", key, s.To)
		}
	}
}

// closedOn hints at a time off that is over. Of single days the old ones may stay.
func (c *checker) closedOn(h *text.Hours) {
	if h != nil {
		c.past(h.At, "closed_on", slices.DeleteFunc(slices.Clone(h.ClosedOn), func(s text.Dates) bool { return s.From == s.To }))
	}
}
