package campaigns

import (
	"iter"
	"time"
)

// Slot is a slot of a campaign, with the moment that its name stands for.
type Slot struct {
	ID     SlotID
	At     time.Time // when the clock on the wall shows it; of a time that clocks leave out the first minute after it, of a doubled one the first
	Minute time.Time // At with its jitter: when it comes
	Next   time.Time // the Minute of the campaign's next slot; zero: there is none
	Line   int       // of Campaign.Lines
	NoDay  bool      // the zone has no such day
}

// jitterOf is how much later than the clock on the wall a slot comes. It is drawn from the slot's name, so that it is the same
// wherever and whenever somebody asks.
func (c *Campaign) jitterOf(day int, clock int) time.Duration {
	most := uint64(c.Jitter / time.Minute)
	if most == 0 {
		return 0
	}
	draw := mixBits(mixBits(c.hash^uint64(uint32(day))) + uint64(clock))
	return time.Duration(draw%(most+1)) * time.Minute //mutate:slots-jitter
}

// Slots returns the slots that come from one time up to, not including, another, in the order in which they come.
func (c *Campaign) Slots(from, to time.Time) iter.Seq[Slot] {
	return func(yield func(Slot) bool) {
		for k := c.calendarFrom(from, time.Time{}, nil); ; {
			s, ok := k.next()
			if !ok || !s.Minute.Before(to) {
				return
			}
			if !yield(s) {
				return
			}
		}
	}
}

// Slot returns the slot of a name; false when the campaign, as it is written, has none.
func (c *Campaign) Slot(id SlotID) (Slot, bool) {
	if id.Campaign != c.ID {
		return Slot{}, false
	}
	w := newWall(c.Zone)
	first, _ := w.at(id.Day, dayNumber(id.Day), 0)
	for s := range c.Slots(first, first.Add(72*time.Hour+c.Jitter)) {
		if s.ID == id {
			return s, true
		}
	}
	return Slot{}, false
}
