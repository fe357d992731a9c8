package campaigns

import (
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
	day, last int       // dayNumber of the next day to be looked at, and of the last one
	dated     int       // how many of c.dated lie behind
	weekly    bool      // some lines are for every week
	from      time.Time // what comes before is left out
	since     time.Time // slots before this never existed
	open      []SlotID  // but these
	ahead     []Slot    // read, in their order
	head      int       // of ahead: what was returned lies before it
}

// calendar returns the slots that come at from or later, without those whose clock was before since and that are not in open.
func (c *Campaign) calendar(from, since time.Time, open []SlotID) *calendar {
	k := &calendar{c: c, wall: newWall(c.Zone), from: from, since: since, open: open, last: math.MaxInt}
	// A jitter makes a slot come up to a day later than its clock, and a zone may move over the date line: days before may still have some.
	k.day = dayNumber(text.DayOf(from.In(c.Zone))) - 3
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

// next returns the next slot; false when there is none.
func (k *calendar) next() (Slot, bool) {
	// Two are known for certain, since Slot.Next is the second one's minute: no day that was not read may have an earlier one.
	for (len(k.ahead) < k.head+2 || k.mayComeBefore(k.ahead[k.head+1].Minute)) && k.load() {
	}
	if k.head == len(k.ahead) {
		return Slot{}, false
	}
	s := k.ahead[k.head]
	if k.head++; k.head < len(k.ahead) {
		s.Next = k.ahead[k.head].Minute
	}
	return s, true
}

// mayComeBefore reports whether a day that was not looked at may have a slot that does not come after t.
func (k *calendar) mayComeBefore(t time.Time) bool { return k.wall.begins(k.day) <= t.Unix() }

// load reads a day. It returns false when there are no more.
func (k *calendar) load() bool {
	c := k.c
	if !k.weekly {
		if k.dated == len(c.dated) {
			return false
		}
		k.day = dayNumber(c.Lines[c.dated[k.dated]].When.Day)
	}
	if k.day > k.last {
		return false
	}
	if 2*k.head >= len(k.ahead) { // what lies behind is not carried along for ever
		k.ahead, k.head = k.ahead[:copy(k.ahead, k.ahead[k.head:])], 0
	}
	week := c.week[((k.day+4)%7+7)%7] // the first day of all, 1 January 1970, was a Thursday
	if len(week) > 0 || k.dated < len(c.dated) {
		k.take(week)
	}
	k.day++
	return true
}

// take adds the slots of the day.
func (k *calendar) take(week []int32) {
	c, day := k.c, numberedDay(k.day)
	first := k.dated
	for k.dated < len(c.dated) && c.Lines[c.dated[k.dated]].When.Day == day {
		k.add(day, c.dated[k.dated], c.dated[first:k.dated])
		k.dated++
	}
	if len(c.out) > 0 && c.out[day] { //mutate:slots-except
		return
	}
	for _, line := range week {
		k.add(day, line, c.dated[first:k.dated])
	}
}

// add adds a slot of the day, unless one of the lines before has it already.
func (k *calendar) add(day text.Day, line int32, before []int32) {
	c := k.c
	clock := c.Lines[line].When.Clock
	at, plain := k.wall.at(day, k.day, clock)
	if at.Add(c.Jitter).Before(k.from) {
		return // most of the days before
	}
	for _, other := range before {
		if c.Lines[other].When.Clock == clock {
			return
		}
	}
	s := Slot{ID: SlotID{c.ID, day, clock}, At: at, Minute: at, Line: int(line)}
	// By its clock, not by its minute: an edit that comes between the two must not bring back a slot which was never there.
	if at.Before(k.since) && !slices.Contains(k.open, s.ID) { //mutate:slots-since
		return
	}
	if most := c.Jitter; most > 0 {
		s.Minute = at.Add(c.jitter(k.day, int(clock)))
	}
	if s.Minute.Before(k.from) {
		return
	}
	s.NoDay = !plain && text.DayOf(at) != day && !k.wall.has(day, k.day)
	i := len(k.ahead)
	for i > k.head && (s.Minute.Before(k.ahead[i-1].Minute) || s.Minute.Equal(k.ahead[i-1].Minute) && s.Line < k.ahead[i-1].Line) {
		i--
	}
	k.ahead = slices.Insert(k.ahead, i, s)
}
