// Package wall tells when a clock on the wall shows a time, also on the days on which clocks change.
package wall

import "time"

const midnight = 24 * 60

// DayTime returns when a clock in a zone shows so many minutes after midnight, 0 to 1440, on a day. A time that a change of clocks leaves out is the first one
// after it; of one that comes twice it is the first. Months and days beyond their ends count on, as those of time.Date do.
func DayTime(year int, month time.Month, day, minutes int, zone *time.Location) time.Time {
	t := time.Date(year, month, day, minutes/60, minutes%60, 0, 0, zone)
	wanted := time.Date(year, month, day, 0, minutes, 0, 0, time.UTC)
	shown := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	start, end := t.ZoneBounds()
	switch {
	case shown.Equal(wanted) || minutes == midnight:
		if !start.IsZero() {
			_, before := start.Add(-time.Second).Zone()
			_, now := t.Zone()
			if twin := t.Add(time.Duration(now-before) * time.Second); before > now && twin.Before(start) {
				return twin
			}
		}
		return t
	// The time is left out: it lies beside the change, on either side.
	case shown.After(wanted):
		return start
	}
	return end
}
