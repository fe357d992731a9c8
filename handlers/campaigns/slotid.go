package campaigns

import (
	"cmp"
	"errors"
	"strings"

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
