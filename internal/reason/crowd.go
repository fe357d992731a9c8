package reason

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Crowd is what keeps a publication from leaving now: Most publications Within a time, or a time Apart from others. The zero Crowd is nothing.
type Crowd struct {
	Most          int
	Within, Apart time.Duration
}

// WaitsUntil is the reason of what waits for that, until a time.
func (c Crowd) WaitsUntil(until time.Time) event.Reason {
	return event.Because(Crowded, append(c.pairs(), "until", timeStamp(until))...)
}

// InVain is the reason of what would wait for that until a time, and its latest departure is before it.
func (c Crowd) InVain(until, over time.Time) event.Reason {
	return event.Because(TooCrowded, append(c.pairs(), "until", timeStamp(until), "over", timeStamp(over))...)
}

func (c Crowd) pairs() []string {
	if c.Apart > 0 {
		return []string{"apart", secondsText(c.Apart)}
	}
	return []string{"most", strconv.Itoa(c.Most), "within", secondsText(c.Within)}
}

// crowdOf is the crowd that a reason names; false when it names none.
func crowdOf(r event.Reason) (c Crowd, ok bool) {
	c.Most, _ = strconv.Atoi(r.Param("most"))
	c.Within, c.Apart = spanOf(r, "within"), spanOf(r, "apart")
	return c, c != Crowd{}
}

// String says it to people.
func (c Crowd) String() string {
	switch {
	case c.Apart > 0:
		return span(c.Apart) + " between publications"
	case c.Most == 1:
		return "1 publication in " + span(c.Within)
	}
	return fmt.Sprintf("%d publications in %s", c.Most, span(c.Within))
}

// StillLate is TooLate of something due that has waited by the reason why until its time was over.
func StillLate(why event.Reason, until time.Time) event.Reason {
	c, ok := crowdOf(why)
	if why.Code() != Crowded || !ok {
		return TooLate(until)
	}
	return event.Because(Late, append(c.pairs(), "until", timeStamp(until))...)
}

func spanOf(r event.Reason, name string) time.Duration {
	n, err := strconv.ParseFloat(r.Param(name), 64)
	if err != nil {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// span writes a length of time in words.
func span(d time.Duration) string {
	for _, unit := range []struct {
		long time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		switch n := d / unit.long; {
		case d%unit.long != 0 || n == 0:
		case n == 1:
			return "1 " + unit.name
		default:
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}
