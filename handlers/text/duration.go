package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Duration is a length of time as people write it: 6s, 30m, 12h, 14d, 2w, 1h30m. It is at most ten
// years, and may be 0s.
type Duration time.Duration

const (
	day     = 24 * time.Hour
	week    = 7 * day
	longest = 3660 * day
)

var errDuration = errors.New("write it like 6s, 30m, 12h, 14d or 2w")

// ParseDuration reads a duration. The error says how to write it.
func ParseDuration(s string) (Duration, error) {
	d, err := parseLength(s)
	return Duration(d), err
}

// parseLength reads numbers with units, the largest unit first.
func parseLength(s string) (time.Duration, error) {
	var sum time.Duration
	last := longest
	for rest := s; rest != ""; {
		number, unit, after := amount(rest)
		switch {
		case number == "" || len(number) > 9:
			return 0, errDuration
		case number == s:
			return 0, fmt.Errorf("write the unit too: %ss, %[1]sm, %[1]sh or %[1]sd", number)
		case unit == 0 || unit >= last:
			return 0, almost(s)
		}
		n, err := strconv.Atoi(number)
		if err != nil || time.Duration(n) > longest/unit || sum+time.Duration(n)*unit > longest {
			return 0, errors.New("that is longer than ten years")
		}
		sum += time.Duration(n) * unit
		rest, last = after, unit
	}
	if s == "" {
		return 0, errDuration
	}
	return sum, nil
}

// amount splits off the number and the unit with which s begins.
func amount(s string) (number string, unit time.Duration, after string) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == len(s) {
		return s, 0, ""
	}
	switch s[n] {
	case 's':
		unit = time.Second
	case 'm':
		unit = time.Minute
	case 'h':
		unit = time.Hour
	case 'd':
		unit = day
	case 'w':
		unit = week
	}
	return s[:n], unit, s[n+1:]
}

// almost says how a duration is written that is nearly one: "30 minutes".
func almost(s string) error {
	n := strings.TrimLeft(s, "0123456789")
	number := s[:len(s)-len(n)]
	units := map[string]string{
		"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
		"h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "w": "w", "week": "w", "weeks": "w",
	}
	if unit, ok := units[strings.ToLower(strings.Trim(n, " ."))]; ok && number != "" {
		return fmt.Errorf("write it as %s%s", number, unit)
	}
	return errDuration
}

// FromText reads a duration.
func (d *Duration) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, d, "a time such as 6s", ParseDuration)
}

// String returns the duration as people write it.
func (d Duration) String() string { return lengthText(time.Duration(d)) }

// lengthText writes a length of time in as few units as can be.
func lengthText(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / unit.of; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d -= n * unit.of
		}
	}
	return b.String()
}
