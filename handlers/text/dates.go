package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Dates are days of the calendar from one to another, both included: 2026-12-25; 2027-08-01..2027-08-31; each year 12-24..01-06.
type Dates struct {
	From, To Day // each year: without a year, and To may lie before From, over New Year
}

var errDates = errors.New("write it like 2026-12-25 or 2027-08-01..2027-08-31, or each year 12-24..01-06")

// ParseDates reads days. The error says how to write them.
func ParseDates(s string) (Dates, error) {
	first, last, two := strings.Cut(s, "..")
	from, err := parseDate(strings.TrimSpace(first))
	if err != nil {
		return Dates{}, err
	}
	to := from
	if two {
		if to, err = parseDate(strings.TrimSpace(last)); err != nil {
			return Dates{}, err
		}
	}
	switch {
	case (from.Year == 0) != (to.Year == 0):
		return Dates{}, errors.New("write both days with a year, or both without: 2027-08-01..2027-08-31, or each year 12-24..01-06")
	case from.Year > 0 && to.before(from):
		return Dates{}, fmt.Errorf("write the earlier day first: %s..%s", to, from)
	}
	return Dates{from, to}, nil
}

// parseDate reads a day, or one of each year: 12-25.
func parseDate(s string) (Day, error) {
	if d, err := ParseDay(s); err == nil && d.Year > 0 {
		return d, nil
	}
	const leap = "2000-"
	d, err := ParseDay(s)
	if !errors.Is(err, errNoDay) {
		d, err = ParseDay(leap + s)
	}
	switch {
	case errors.Is(err, errNoDay):
		return Day{}, errNoDay
	case err != nil:
		return Day{}, errDates
	}
	d.Year = 0
	return d, nil
}

// before reports whether a day lies before another one.
func (d Day) before(other Day) bool {
	count := func(d Day) int { return (d.Year*100+int(d.Month))*100 + d.Day }
	return count(d) < count(other)
}

// Holds reports whether a day is one of them.
func (s Dates) Holds(d Day) bool {
	if s.From.Year == 0 {
		d.Year = 0
	}
	early, late := d.before(s.From), s.To.before(d)
	if s.To.before(s.From) { // over New Year
		return !early || !late
	}
	return !early && !late
}

// MarshalJSON writes one day as a Day, which is what stood there before there were several.
func (s Dates) MarshalJSON() ([]byte, error) {
	if s.From == s.To {
		return json.Marshal(s.From)
	}
	type plain Dates
	return json.Marshal(plain(s))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Dates) UnmarshalJSON(b []byte) error {
	var both struct {
		Day
		From, To *Day
	}
	if err := json.Unmarshal(b, &both); err != nil {
		return fmt.Errorf("read days: %w", err)
	}
	*s = Dates{both.Day, both.Day}
	if both.From != nil && both.To != nil {
		*s = Dates{*both.From, *both.To}
	}
	return nil
}

// FromText reads days.
func (s *Dates) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, s, "days such as 2026-12-25 or 2027-08-01..2027-08-31", ParseDates)
}

// String returns the days as people write them.
func (s Dates) String() string {
	write := Day.String
	if s.From.Year == 0 {
		write = func(d Day) string { return fmt.Sprintf("%02d-%02d", int(d.Month), d.Day) }
	}
	if s.From == s.To {
		return write(s.From)
	}
	return write(s.From) + ".." + write(s.To)
}
