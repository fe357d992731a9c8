package text

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Clock is a time on the wall in minutes after midnight, 0 to 1440: 09:30. 24:00 is the end of a day.
type Clock int

const midnight Clock = 24 * 60

// ParseClock reads a time. The error says how to write it.
func ParseClock(s string) (Clock, error) {
	h, m, colon := strings.Cut(s, ":")
	hour, err := strconv.ParseUint(h, 10, 8)
	minute, err2 := strconv.ParseUint(m, 10, 8)
	c := Clock(hour*60 + minute)
	if !colon || err != nil || err2 != nil || len(h) > 2 || len(m) != 2 || minute > 59 || c > midnight {
		return 0, errors.New("write it like 09:30 or 18:00")
	}
	return c, nil
}

// FromText reads a time.
func (c *Clock) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, c, "a time of the day such as 09:30", ParseClock)
}

// String returns the time as people write it.
func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", int(c)/60, int(c)%60) }

// errShape says that two times were not written as such.
var errShape = errors.New("not two times")

// parseClocks reads two times with a dash between them. From may lie behind to, over midnight.
func parseClocks(s string) (from, to Clock, err error) {
	a, b, ok := strings.Cut(s, "-")
	if !ok {
		return 0, 0, errShape
	}
	from, err = ParseClock(strings.TrimSpace(a))
	if err != nil {
		return 0, 0, errShape
	}
	to, err = ParseClock(strings.TrimSpace(b))
	switch {
	case err != nil:
		return 0, 0, errShape
	case from == to || from == midnight:
		return 0, 0, errors.New("it ends when it begins; for a whole day write 00:00-24:00")
	}
	return from, to, nil
}

// holdsMinute reports whether a minute of the day lies between two times: early says that it belongs to
// what began today, late that it belongs to what began yesterday.
func holdsMinute(minute, from, to Clock) (early, late bool) {
	if from < to {
		return from <= minute && minute < to, false
	}
	return minute >= from, minute < to
}
