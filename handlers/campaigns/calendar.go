package campaigns

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// calendar goes through the slots of a campaign, day by day, and returns them in the order in which they come: with a jitter, or
// where clocks change, that is not the order on the wall.
type calendar struct {
	c         *Campaign
	wall      wall
	day, last int                   // dayNumber of the next day to be looked at, and of the last one
	dated     int                   // how many of c.dated lie behind
	weekly    bool                  // some lines are for every week
	from      time.Time             // what comes before is left out
	since     time.Time             // slots before this never existed
	open      []SlotID              // but these
	moved     map[SlotID]Reschedule // what people gave another minute
	ahead     []Slot                // read, in their order
	head      int                   // of ahead: what was returned lies before it
}

// calendarFrom returns the slots that come at from or later, without those that were before since by the clock and are not in open.
func (c *Campaign) calendarFrom(from, since time.Time, open []SlotID) *calendar {
	k := &calendar{c: c, wall: newWall(c.Zone), from: from, since: since, open: open, last: math.MaxInt}
	// A jitter makes a slot come up to a day later than its clock, and a zone may move over the date line: days before may still have some.
	k.day = dayNumber(text.DayOf(from.Add(-c.Behind).In(c.Zone))) - 3
	for _, lines := range c.week {
		k.weekly = k.weekly || len(lines) > 0
	}
	if c.Starts != (text.Day{}) {
		k.day = max(k.day, dayNumber(c.Starts))
	}
	if c.Ends != (text.Day{}) {
		k.last = dayNumber(c.Ends)
	}
	for k.dated < len(c.dated) && dayNumber(c.Lines[c.dated[k.dated]].When.Day) < k.day {
		k.dated++
	}
	return k
}

// moveSlots lets slots come at the minutes that people gave them. It comes before any slot is read.
func (c *calendar) moveSlots(all map[SlotID]Reschedule) {
	for _, id := range slices.SortedFunc(maps.Keys(all), SlotID.compare) { // two of them may have the same minute now
		s, there := c.c.Slot(id)
		s.At = all[id].To.In(c.c.Zone)
		if s.Minute, s.Moved = s.At, true; there && !s.At.Before(c.from) && !c.neverWas(&s) {
			c.insert(&s)
		}
	}
	c.moved = all
}

// isMoved reports whether a person has given a slot another minute.
func (c *calendar) isMoved(id SlotID) bool {
	_, is := c.moved[id]
	return is
}

// neverWas reports whether a slot lies before the campaign came into force as it is: by its clock, not by its minute, as an edit that comes between the two must
// not bring back a slot which was never there.
func (c *calendar) neverWas(s *Slot) bool {
	return s.At.Before(c.since) && !slices.Contains(c.open, s.ID) //mutate:slots-since
}

// insert puts a slot at its place among those that are read.
func (c *calendar) insert(s *Slot) {
	i := len(c.ahead)
	for i > c.head && (s.Minute.Before(c.ahead[i-1].Minute) || s.Minute.Equal(c.ahead[i-1].Minute) && s.Line < c.ahead[i-1].Line) {
		i--
	}
	c.ahead = slices.Insert(c.ahead, i, *s)
}

// next returns the next slot; false when there is none.
func (c *calendar) next() (Slot, bool) {
	// Two are known for certain, since Slot.Next is the second one's minute: no day that was not read may have an earlier one.
	for (len(c.ahead) < c.head+2 || c.mayComeBefore(c.ahead[c.head+1].Minute)) && c.load() {
	}
	if c.head == len(c.ahead) {
		return Slot{}, false
	}
	s := c.ahead[c.head]
	if c.head++; c.head < len(c.ahead) {
		s.Next = c.ahead[c.head].Minute
	}
	return s, true
}

// mayComeBefore reports whether a day that was not looked at may have a slot that does not come after t.
func (c *calendar) mayComeBefore(t time.Time) bool { return c.wall.dayBegins(c.day) <= t.Unix() }

// load reads a day. It returns false when there are no more.
func (c *calendar) load() bool {
	campaign := c.c
	if !c.weekly {
		if c.dated == len(campaign.dated) {
			return false
		}
		c.day = dayNumber(campaign.Lines[campaign.dated[c.dated]].When.Day)
	}
	if c.day > c.last {
		return false
	}
	if 2*c.head >= len(c.ahead) { // what lies behind is not carried along for ever
		c.ahead, c.head = c.ahead[:copy(c.ahead, c.ahead[c.head:])], 0
	}
	week := campaign.week[((c.day+4)%7+7)%7] // the first day of all, 1 January 1970, was a Thursday
	if len(week) > 0 || c.dated < len(campaign.dated) {
		c.addDay(week)
	}
	c.day++
	return true
}

// addDay adds the slots of the day.
func (c *calendar) addDay(week []int32) {
	campaign, day := c.c, numberedDay(c.day)
	first := c.dated
	for c.dated < len(campaign.dated) && campaign.Lines[campaign.dated[c.dated]].When.Day == day {
		c.add(day, campaign.dated[c.dated], campaign.dated[first:c.dated])
		c.dated++
	}
	if campaign.isExcept(day) { //mutate:slots-except
		return
	}
	for _, line := range week {
		c.add(day, line, campaign.dated[first:c.dated])
	}
}

// add adds a slot of the day, unless one of the lines before has it already.
func (c *calendar) add(day text.Day, line int32, before []int32) {
	campaign := c.c
	clock := campaign.Lines[line].When.Clock
	at, plain := c.wall.at(day, c.day, clock)
	if at.Add(campaign.Jitter + campaign.Behind).Before(c.from) {
		return // most of the days before
	}
	for _, other := range before {
		if campaign.Lines[other].When.Clock == clock {
			return
		}
	}
	s := Slot{ID: SlotID{campaign.ID, day, clock}, At: at, Minute: at.Add(campaign.Behind), Line: int(line)} //mutate:slots-behind
	if c.isMoved(s.ID) || c.neverWas(&s) {                                                                   //mutate:slots-rescheduled
		return
	}
	if most := campaign.Jitter; most > 0 {
		s.Minute = s.Minute.Add(campaign.jitterOf(c.day, int(clock)))
	}
	if s.Minute.Before(c.from) {
		return
	}
	s.NoDay = !plain && text.DayOf(at) != day && !c.wall.has(day, c.day)
	c.insert(&s)
}

// wall reads the clock on the wall of a zone. It says what text.Day.At says; where the zone's offset does not change for more
// than a day on both sides, it can say so without asking.
type wall struct {
	zone       *time.Location
	start, end int64 // seconds since 1970 between which offset holds, with a margin; start > end: not known
	offset     int64
}

// margin is more than clocks differ anywhere, also over the date line.
const margin = 27 * 60 * 60

func newWall(zone *time.Location) wall { return wall{zone: zone, start: 1} }

// at returns when the clock shows c on a day, which is given twice: n is its dayNumber. Plain says that no change of clocks is near.
func (w *wall) at(day text.Day, n int, c text.Clock) (at time.Time, plain bool) {
	unix := int64(n)*86400 + int64(c)*60
	if u := unix - w.offset; w.start <= u && u < w.end {
		return time.Unix(u, 0).In(w.zone), true
	}
	at = day.At(c, w.zone) //mutate:slots-wall
	start, end := at.ZoneBounds()
	_, offset := at.Zone()
	w.offset, w.start, w.end = int64(offset), -1<<60, 1<<60
	if !start.IsZero() {
		w.start = start.Unix() + margin
	}
	if !end.IsZero() {
		w.end = end.Unix() - margin
	}
	return at, false
}

// dayBegins returns a time, in seconds since 1970, before which no clock shows a day, or a later one: where no change of clocks is near, when the
// day begins.
func (w *wall) dayBegins(n int) int64 {
	if u := int64(n)*86400 - w.offset; w.start <= u && u < w.end {
		return u
	}
	return int64(n-1) * 86400 // no clock on a wall is more than a day ahead of the one in Greenwich
}

// has reports whether there is such a day: where the date line moved, one is missing.
func (w *wall) has(day text.Day, n int) bool {
	first, _ := w.at(day, n, 0)
	return text.DayOf(first) == day
}

// dayNumber counts days since 1970.
func dayNumber(d text.Day) int {
	return int(time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// numberedDay is the day of a dayNumber.
func numberedDay(n int) text.Day { return text.DayOf(time.Unix(int64(n)*86400, 0).UTC()) }
