package text

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/internal/wall"
)

// Day is a day of the calendar: 2026-12-25.
type Day struct {
	Year  int
	Month time.Month
	Day   int
}

// errNoDay is the error of a day that is written as one, and that no calendar has.
var errNoDay = errors.New("there is no such day in the calendar")

// IsNoDay reports whether an error of ParseDay is about a day that is written as one, and that no calendar has.
func IsNoDay(err error) bool { return errors.Is(err, errNoDay) }

// ParseDay reads a day. The error says how to write it.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	switch {
	case err == nil:
		return DayOf(t), nil
	case dayShape.MatchString(s):
		return Day{}, errNoDay
	default:
		return Day{}, errors.New("write it like 2026-12-25")
	}
}

// dayShape is what a day looks like.
var dayShape = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// DayOf returns the day of t in its zone.
func DayOf(t time.Time) Day {
	y, m, d := t.Date()
	return Day{y, m, d}
}

// At returns when a clock on the wall shows c on this day. A time that a change of clocks leaves out is
// the first one after it; of one that comes twice it is the first.
func (d Day) At(c Clock, zone *time.Location) time.Time {
	return wall.DayTime(d.Year, d.Month, d.Day, int(c), zone)
}

func clockOf(t time.Time) Clock { return Clock(t.Hour()*60 + t.Minute()) }

// FromText reads a day.
func (d *Day) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, d, "a day such as 2026-12-25", ParseDay)
}

// String returns the day as people write it.
func (d Day) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day) }
