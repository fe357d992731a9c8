package campaigns

import (
	"cmp"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// SlotID names a slot by its campaign and by what a clock on the wall of its time zone shows:
// spring-menu@2027-03-16T09:30. It is neither a moment, which a change of the zone's rules moves, nor a number, which an edit
// moves. All that is kept of a slot is kept under this name.
type SlotID struct {
	Campaign string
	Day      text.Day
	Clock    text.Clock // below 24:00
}

// ParseSlotID reads what String returns. The error says how to write it.
func ParseSlotID(s string) (SlotID, error) {
	wrong := errors.New("write a slot like spring-menu@2027-03-16T09:30")
	at := strings.LastIndexByte(s, '@')
	if at <= 0 {
		return SlotID{}, wrong
	}
	day, clock, _ := strings.Cut(s[at+1:], "T")
	d, err := text.ParseDay(day)
	if err != nil {
		return SlotID{}, wrong
	}
	c, err := text.ParseClock(clock)
	id := SlotID{s[:at], d, c}
	if err != nil || id.String() != s || c >= 24*60 {
		return SlotID{}, wrong
	}
	return id, nil
}

// String returns the name.
func (id SlotID) String() string {
	return id.Campaign + "@" + id.Day.String() + "T" + id.Clock.String()
}

// MarshalText returns the name.
func (id SlotID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads a name.
func (id *SlotID) UnmarshalText(b []byte) (err error) {
	*id, err = ParseSlotID(string(b))
	return err
}

// compare orders the slots of a campaign by day and clock.
func (id SlotID) compare(with SlotID) int {
	return cmp.Or(cmp.Compare(id.Day.Year, with.Day.Year), cmp.Compare(id.Day.Month, with.Day.Month),
		cmp.Compare(id.Day.Day, with.Day.Day), cmp.Compare(id.Clock, with.Clock))
}

// Slot is a slot of a campaign, with the moment that its name stands for.
type Slot struct {
	ID     SlotID
	At     time.Time // when the clock on the wall shows it, or where it is Moved the new time; of a time that clocks leave out the first minute after it, of a doubled one the first
	Minute time.Time // At with its jitter, and Behind: when it comes
	Next   time.Time // the Minute of the campaign's next slot; zero: there is none
	Line   int       // of Campaign.Lines
	NoDay  bool      // the zone has no such day
	Moved  bool      // a person has given it another time
}

// Day is the day on which the slot comes: that of its name, unless a person has given it another one.
func (s *Slot) Day() text.Day {
	if s.Moved {
		return text.DayOf(s.At)
	}
	return s.ID.Day
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
	for s := range c.Slots(first, first.Add(72*time.Hour+c.Jitter+c.Behind)) {
		if s.ID == id {
			return s, true
		}
	}
	return Slot{}, false
}
