package text

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Opening is when we are at work: Mon-Fri 09:00-18:30; Mon, Wed 09:00-12:00; every day 10:00-17:00;
// Fri 20:00-02:00.
type Opening struct {
	Days     [7]bool // by [time.Weekday]: the days on which it begins
	From, To Clock   // To is before From when it ends on the next day
}

var errOpening = errors.New("write it like Mon-Fri 09:00-18:30")

// ParseOpening reads an opening. The error says how to write it.
func ParseOpening(s string) (Opening, error) {
	var o Opening
	if strings.ContainsAny(s, "–—") {
		return o, fmt.Errorf("write it with a plain dash: %s", strings.NewReplacer("–", "-", "—", "-").Replace(s))
	}
	first := strings.IndexAny(s, "0123456789")
	switch {
	case first < 0:
		return o, errors.New("write the times too: Mon-Fri 09:00-18:30. If it has a comma, put quotes around it")
	case first == 0:
		return o, errors.New("write a day first: Mon-Fri 09:00-18:30")
	}
	days, err := parseDays(strings.TrimSpace(s[:first]))
	if err != nil {
		return o, err
	}
	o.Days = days
	if strings.Contains(s[first:], ",") {
		return o, errors.New("write one time on each line, such as Mon-Fri 09:00-12:00 and Mon-Fri 13:00-18:30")
	}
	o.From, o.To, err = parseClocks(s[first:])
	if errors.Is(err, errShape) {
		err = errOpening
	}
	return o, err
}

// parseDays reads days: Mon-Fri; Mon, Wed; every day.
func parseDays(s string) (days [7]bool, err error) {
	if s == everyDay {
		return [7]bool{true, true, true, true, true, true, true}, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		from, to, two := strings.Cut(part, "-")
		a, err := parseWeekday(strings.TrimSpace(from))
		if err != nil {
			return days, err
		}
		b := a
		if two {
			if b, err = parseWeekday(strings.TrimSpace(to)); err != nil {
				return days, err
			}
		}
		for days[a] = true; a != b; days[a] = true {
			a = (a + 1) % 7
		}
	}
	return days, nil
}

const everyDay = "every day"

const weekdays = "SunMonTueWedThuFriSat"

// parseWeekday reads a day of the week.
func parseWeekday(s string) (time.Weekday, error) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		short := weekdays[3*d : 3*d+3]
		switch {
		case s == short:
			return d, nil
		case len(s) >= 2 && strings.HasPrefix(strings.ToLower(d.String()), strings.ToLower(strings.TrimRight(s, ".s"))):
			return 0, fmt.Errorf("write %s for %s", short, s)
		}
	}
	return 0, errOpening
}

// FromText reads an opening.
func (o *Opening) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, o, "days with times such as Mon-Fri 09:00-18:30", ParseOpening)
}

// String returns the opening as people write it.
func (o Opening) String() string {
	return showDays(o.Days) + " " + o.From.String() + "-" + o.To.String()
}

// showDays writes days, from Monday on.
func showDays(days [7]bool) string {
	var parts []string
	for i := 1; i <= 7; i++ {
		from := i
		for i <= 7 && days[i%7] {
			i++
		}
		name := func(d int) string { return weekdays[3*(d%7) : 3*(d%7)+3] }
		switch n := i - from; {
		case n == 7:
			return everyDay
		case n == 1:
			parts = append(parts, name(from))
		case n > 1:
			parts = append(parts, name(from)+"-"+name(i-1))
		}
	}
	return strings.Join(parts, ", ")
}
