package campaigns

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// moveBack is where a slot is moved to that is to come at its own time again.
const moveBack = "back"

// moveSlot gives a slot another minute, or its own again. It keeps its name, and what was approved counts no more: people have approved a minute, too.
func moveSlot(s *state, words []string, by campaigns.Note) (string, error) {
	c, id, err := s.slotNamed(words)
	if err != nil {
		return "", err
	}
	m := s.Memories[c.ID]
	switch e := m.Book[id]; {
	case e.State == campaigns.Going:
		return "", obsoleteError("%s is on its way: it may be skipped, as long as it has not left", id)
	case e.State.Decided() && e.State != "":
		return "", obsoleteError("%s is over: %s", id, outcomeText(c, &e))
	}
	was := m
	if v, there := campaigns.Find(&s.Account, id, nil, by.At); !there || v.Until.Before(s.AccountFacts.TrueTime(by.At)) && !v.Slot.Minute.After(s.AccountFacts.TrueTime(by.At)) {
		return "", obsoleteError("%s is over", id)
	}
	if m.Rescheduled = maps.Clone(m.Rescheduled); m.Rescheduled == nil {
		m.Rescheduled = map[campaigns.SlotID]campaigns.Reschedule{}
	}
	moved := "is moved to"
	if _, to := firstWord(words); to == moveBack {
		delete(m.Rescheduled, id)
		moved = "has its own minute again,"
	} else if at, err := newMinute(c, id, to, s.AccountFacts.TrueTime(by.At)); err != nil {
		return "", err
	} else {
		m.Rescheduled[id] = campaigns.Reschedule{To: at, Note: by}
	}
	s.Memories[c.ID] = m
	v, there := campaigns.Find(&s.Account, id, nil, by.At)
	on := v.Slot.Minute.In(c.Zone).Format("Mon 2 January 15:04")
	switch {
	case !there || v.Slot.Minute.Before(s.AccountFacts.TrueTime(by.At)):
		s.Memories[c.ID] = was
		return "", obsoleteError("%s is over", id)
	case v.Why.Code == campaigns.Unasked:
		s.Memories[c.ID] = was
		return "", obsoleteError("nobody could approve it then: that has to be done %s before, so write a later time", text.Duration(c.AtLeast))
	case v.Kind == campaigns.Skip:
		return fmt.Sprintf("%s %s %s, and %s", id, moved, on, comingText(c, &v)), nil
	}
	return fmt.Sprintf("%s comes on %s: %s", id, on, comingText(c, &v)), nil
}

// newMinute reads the minute that a slot is to have: a day with a time, or a time on the day of the slot.
func newMinute(c *campaigns.Campaign, id campaigns.SlotID, written string, now time.Time) (time.Time, error) {
	day, clock, err := id.Day, strings.Replace(written, "T", " ", 1), error(nil)
	if on, rest, both := strings.Cut(clock, " "); both {
		day, err = text.ParseDay(on)
		clock = rest
	}
	at, wrong := text.ParseClock(clock)
	if err != nil || wrong != nil {
		return time.Time{}, obsoleteError("%q is no time: write 2027-03-20T09:30, or 09:30 of the same day", written)
	}
	to := day.At(at, c.Zone)
	switch last := c.Ends; {
	case !to.After(now.Add(time.Minute)):
		return to, obsoleteError("%s is over: write a time at least two minutes ahead", to.Format("Mon 2 January 15:04"))
	case to.Before(c.Starts.At(0, c.Zone)) && c.Starts != (text.Day{}):
		return to, obsoleteError("%s starts on %s: a slot comes from then on", c.ID, c.Starts)
	case last != (text.Day{}) && to.After(last.At(24*60, c.Zone)):
		return to, obsoleteError("%s ends on %s: a slot comes until then", c.ID, last)
	}
	return to, nil
}
