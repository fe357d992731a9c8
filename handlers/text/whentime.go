package text

import (
	"errors"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// WhenTime is a moment of the week, Sat 23:00, or of a day, 2026-12-25 10:00.
type WhenTime struct {
	Weekday time.Weekday
	Day     Day // the zero value: of any week
	Clock   Clock
}

// ParseWhenTime reads a moment. The error says how to write it.
func ParseWhenTime(s string) (WhenTime, error) {
	var w WhenTime
	day, clock, _ := strings.Cut(s, " ")
	c, err := ParseClock(clock)
	if err != nil || c == midnight {
		return w, errors.New("write it like Sat 23:00, or 2026-12-25 10:00")
	}
	w.Clock = c
	if d, err := ParseDay(day); err == nil {
		w.Day = d
		w.Weekday = time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC).Weekday()
		return w, nil
	}
	if w.Weekday, err = parseWeekday(day); err != nil {
		return w, errors.New("write it like Sat 23:00, or 2026-12-25 10:00")
	}
	return w, nil
}

// Next returns the first such moment that is not before t, in the zone of t; of a day, that moment.
func (w WhenTime) Next(t time.Time) time.Time {
	if w.Day != (Day{}) {
		return w.Day.At(w.Clock, t.Location())
	}
	today := DayOf(t)
	ahead := (int(w.Weekday) - int(t.Weekday()) + 7) % 7
	for {
		day := DayOf(time.Date(today.Year, today.Month, today.Day+ahead, 12, 0, 0, 0, time.UTC))
		if at := day.At(w.Clock, t.Location()); !at.Before(t) {
			return at
		}
		ahead += 7
	}
}

// FromText reads a moment.
func (w *WhenTime) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, w, "a day and a time such as Sat 23:00", ParseWhenTime)
}

// String returns the moment as people write it.
func (w WhenTime) String() string {
	if w.Day != (Day{}) {
		return w.Day.String() + " " + w.Clock.String()
	}
	return weekdays[3*w.Weekday:3*w.Weekday+3] + " " + w.Clock.String()
}
