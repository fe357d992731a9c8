package emulator

import (
	"strconv"
	"time"
)

// The layouts of the times that the platform shows. They have no zone; the emulator's is UTC.
const (
	messageLayout = "02 Jan, 2006 15:04"
	memberLayout  = "Jan 2006"
	listLayout    = "02 Jan, 06 03:04 PM"
)

// age is a span in the unit in which it is shown.
type age struct {
	unit    time.Duration
	english string
	russian string
}

// ages are the units of humanised times, the largest first.
var ages = [...]age{
	{365 * 24 * time.Hour, "year", "г."},
	{30 * 24 * time.Hour, "month", "мес."},
	{7 * 24 * time.Hour, "week", "нед."},
	{24 * time.Hour, "day", "дн."},
	{time.Hour, "hour", "ч."},
	{time.Minute, "minute", "мин."},
	{time.Second, "second", "сек."},
}

// writeAgo writes how long ago at was, the way lists show it: "5 minutes ago". It ages by itself.
func (e *encoder) writeAgo(at, now time.Time) {
	e.key("time")
	e.buf = append(e.buf, '"')
	e.appendAgo(now.Sub(at))
	e.buf = append(e.buf, '"')
}

func (e *encoder) appendAgo(d time.Duration) {
	for i := range ages {
		n := int64(d / ages[i].unit)
		switch {
		case n < 1, e.dialect.MinuteAges && ages[i].unit < time.Minute:
		case e.dialect.Localised:
			e.buf = strconv.AppendInt(e.buf, n, 10)
			e.buf = append(e.buf, ' ')
			e.buf = append(e.buf, ages[i].russian...)
			e.buf = append(e.buf, " назад"...)
			return
		default:
			e.buf = strconv.AppendInt(e.buf, n, 10)
			e.buf = append(e.buf, ' ')
			e.buf = append(e.buf, ages[i].english...)
			if n > 1 {
				e.buf = append(e.buf, 's')
			}
			e.buf = append(e.buf, " ago"...)
			return
		}
	}
	if e.dialect.Localised {
		e.buf = append(e.buf, "только что"...)
		return
	}
	e.buf = append(e.buf, "just now"...)
}

// writeShown writes at as messages and lists show it, to the minute.
func (e *encoder) writeShown(k string, at time.Time, layout string) {
	e.key(k)
	e.buf = append(e.buf, '"')
	if e.dialect.Localised {
		layout = "02.01.2006 15:04"
	}
	e.buf = e.shownClock(at).UTC().AppendFormat(e.buf, layout)
	e.buf = append(e.buf, '"')
}
