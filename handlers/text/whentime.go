package text

import (
	"errors"
	"fmt"
	"regexp"
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
	switch all, err := parseWhenTimes(s); {
	case errors.Is(err, errNoDay):
		return WhenTime{}, err
	case err != nil || len(all) != 1:
		return WhenTime{}, errors.New("write it like Sat 23:00, or 2026-12-25 10:00")
	default:
		return all[0], nil
	}
}

// halfDay finds a time of the twelve-hour clock.
var halfDay = regexp.MustCompile(`(?i)\d ?[ap]\.?m\b`)

var (
	errMoments = errors.New("write it like Tue 09:30, or Mon-Fri 09:30, or daily 09:30, or 2026-12-25 10:00")
	errApart   = errors.New("write each days with their times apart, behind a dash of their own or in brackets: [Mon-Fri 09:30, Sat 12:00]")
	errNoDays  = errors.New("write its day too: Tue 09:30. In brackets a comma parts two of them, so put quotes around both: \"Tue 09:30, 17:30\"")
	errNoClock = errors.New("write its time too: Tue 09:30. In brackets a comma parts two of them, so put quotes around both: \"Tue, Thu 09:30\"")
	errHalfDay = errors.New("write the hours from 00 to 23, as in Tue 21:30")
)

// WhenTimes are moments of some days: Mon-Fri 09:30; daily 09:30; Tue, Thu 09:30; Tue 09:30, 17:30; 2026-12-25 10:00, 17:00. Those of a
// week begin with Monday.
type WhenTimes []WhenTime

// FromText reads moments.
func (w *WhenTimes) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, w, "a day and a time such as Tue 09:30", parseWhenTimes)
}

// parseWhenTimes reads moments. The error says how to write them.
func parseWhenTimes(s string) (all WhenTimes, err error) {
	before, _, timed := strings.Cut(s, ":")
	if halfDay.MatchString(s) {
		return nil, errHalfDay
	}
	if _, err := parseMomentDays(s); !timed && err == nil {
		return nil, errNoClock
	}
	if !timed {
		return nil, errMoments
	}
	if day, clock, is := strings.Cut(s, "T"); is && dayShape.MatchString(day) {
		return nil, fmt.Errorf("write a space in the place of the T: %s %s", day, clock)
	}
	blank := strings.LastIndexByte(before, ' ')
	days, clocks := strings.TrimSpace(s[:max(blank, 0)]), s[blank+1:]
	if days == "" {
		return nil, errNoDays
	}
	on, err := parseMomentDays(days)
	if err != nil {
		return nil, err
	}
	for _, w := range on {
		for clock := range strings.SplitSeq(clocks, ",") {
			clock = strings.TrimSpace(clock)
			c, err := ParseClock(clock)
			if strings.Contains(clock, " ") {
				return nil, errApart
			}
			if err != nil || c == midnight {
				return nil, errMoments
			}
			w.Clock = c
			all = append(all, w)
		}
	}
	return all, nil
}

// parseMomentDays reads a day, or days of the week, of moments whose clocks are not known.
func parseMomentDays(s string) (WhenTimes, error) {
	switch d, err := ParseDay(s); {
	case err == nil:
		return WhenTimes{{Weekday: time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC).Weekday(), Day: d}}, nil
	case errors.Is(err, errNoDay):
		return nil, err
	case s == "daily":
		s = everyDay
	}
	days, err := parseDays(s)
	switch {
	case errors.Is(err, errOpening):
		return nil, errMoments
	case err != nil:
		return nil, err
	}
	var on WhenTimes
	for i := 1; i <= 7; i++ {
		if days[i%7] {
			on = append(on, WhenTime{Weekday: time.Weekday(i % 7)})
		}
	}
	return on, nil
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
