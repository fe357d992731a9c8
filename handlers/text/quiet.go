package text

import (
	"errors"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Quiet is when people are left alone, by the clock on the wall: 22:00-08:00.
type Quiet struct{ From, To Clock }

// parseQuiet reads quiet hours. The error says how to write them.
func parseQuiet(s string) (Quiet, error) {
	from, to, err := parseClocks(s)
	if errors.Is(err, errShape) {
		err = errors.New("write it like 22:00-08:00")
	}
	if err != nil {
		return Quiet{}, err
	}
	return Quiet{from, to}, nil
}

// Until returns when the quiet ends that rules at t in the zone of t, and whether there is one.
func (q Quiet) Until(t time.Time) (end time.Time, quiet bool) {
	if !q.at(t) {
		return time.Time{}, false
	}
	today := DayOf(t)
	end = time.Date(today.Year, today.Month, today.Day, int(q.To)/60, int(q.To)%60, 0, 0, t.Location())
	if !end.After(t) {
		end = time.Date(today.Year, today.Month, today.Day+1, int(q.To)/60, int(q.To)%60, 0, 0, t.Location())
	}
	if atRest(t) {
		return end, true
	}
	// The clocks change about now.
	for end = t.Truncate(time.Minute); q.at(end); end = end.Add(time.Minute) {
	}
	return end, true
}

// atRest reports whether no clocks change about t.
func atRest(t time.Time) bool {
	start, end := t.ZoneBounds()
	return (start.IsZero() || t.Sub(start) > 2*day) && (end.IsZero() || end.Sub(t) > 2*day)
}

func (q Quiet) at(t time.Time) bool {
	early, late := holdsMinute(clockOf(t), q.From, q.To)
	return early || late
}

// FromText reads quiet hours.
func (q *Quiet) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, q, "two times such as 22:00-08:00", parseQuiet)
}

// String returns the quiet hours as people write them.
func (q Quiet) String() string { return q.From.String() + "-" + q.To.String() }
