package campaigns

import (
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// Revise returns the memory after a campaign has come into force as it is written now. Slots that the edit adds exist from now on.
// Old and new slots of a day are paired in their order: where the old one has happened, or is on its way, the new one does not come
// a second time. What was published, which item comes next and how often each post has come stays, by post. It has to be called
// before anything else is decided with the new campaign; when nothing has changed it changes nothing.
func Revise(c *Campaign, m Memory, now time.Time) Memory {
	m = m.clone()
	m.align(c)
	next := c.force()
	if m.Force.same(&next) {
		return m
	}
	old := m.Force.campaign(c)
	next.Since = now
	if !m.Force.Since.IsZero() {
		// By the memory as it is before the edit: their clock lies before Since, and without being named they would never have existed.
		next.Open = m.open(old, c, now)
		m.pair(old, c)
	}
	m.Force = next
	return m
}

// Retire returns the memory after the campaign was taken out of the files. What is put back comes into force anew.
func Retire(m Memory, now time.Time) Memory {
	m.Force = Force{Since: now}
	return m
}

// Orphans returns the slots that have something prepared, and that the campaign does not have any more, in their order: what is
// prepared is to be withdrawn.
func Orphans(c *Campaign, m Memory) []SlotID {
	var all []SlotID
	for id, e := range m.Book {
		if e.State == Prepared && !c.has(id) {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, SlotID.compare)
	return all
}

// force is what is kept of a campaign's slots while it is in force.
func (c *Campaign) force() Force {
	f := Force{Zone: c.Zone.String(), Jitter: int(c.Jitter / time.Minute), Behind: c.Behind, Keeps: true}
	if c.Starts != (text.Day{}) {
		f.Starts = c.Starts.String()
	}
	if c.Ends != (text.Day{}) {
		f.Ends = c.Ends.String()
	}
	for _, l := range c.Lines {
		f.Lines = append(f.Lines, l.When.String())
	}
	for _, d := range c.Except {
		f.Except = append(f.Except, d.String())
	}
	return f
}

// same reports whether slots are as they were.
func (f *Force) same(as *Force) bool {
	return !f.Since.IsZero() && f.Zone == as.Zone && f.Starts == as.Starts && f.Ends == as.Ends && f.Jitter == as.Jitter && f.Behind == as.Behind &&
		slices.Equal(f.Lines, as.Lines) && slices.Equal(f.Except, as.Except)
}

// campaign is the one that was in force, as far as its slots go.
func (f *Force) campaign(now *Campaign) *Campaign {
	old := Campaign{ID: now.ID, Of: now.Of, Zone: now.Zone, Jitter: time.Duration(f.Jitter) * time.Minute, Behind: f.Behind}
	if z, err := time.LoadLocation(f.Zone); err == nil && f.Zone != "" {
		old.Zone = z
	}
	old.Starts, _ = text.ParseDay(f.Starts)
	old.Ends, _ = text.ParseDay(f.Ends)
	for _, l := range f.Lines {
		if w, err := text.ParseWhenTime(l); err == nil {
			old.Lines = append(old.Lines, Line{When: w})
		}
	}
	for _, e := range f.Except {
		if d, err := text.ParseDates(e); err == nil {
			old.Except = append(old.Except, d)
		}
	}
	c, err := New(old)
	if err != nil {
		return &Campaign{ID: now.ID, Zone: now.Zone}
	}
	return c
}

// open returns the slots before the edit that are not decided yet: those that the edit leaves are still to be decided.
func (m *Memory) open(old, c *Campaign, now time.Time) []SlotID {
	var all []SlotID
	for k := m.undecidedSlots(old); ; {
		s, ok := k.next()
		if !ok || s.Minute.Add(-old.Jitter-old.Behind).After(now) {
			return all
		}
		if e, is := m.Book[s.ID]; s.At.Before(now) && (!is || !e.State.Decided()) && c.has(s.ID) { //mutate:slots-open
			all = append(all, s.ID)
		}
	}
}

// isExcept reports whether the lines of the week do not count on a day.
func (c *Campaign) isExcept(d text.Day) bool {
	return slices.ContainsFunc(c.Except, func(except text.Dates) bool { return except.Holds(d) })
}

// has reports whether the campaign, as it is written, has a slot.
func (c *Campaign) has(id SlotID) bool { return slices.Contains(c.slotsOfDay(id.Day), id) }

// slotsOfDay returns the slots of a day, in their order.
func (c *Campaign) slotsOfDay(d text.Day) []SlotID {
	n := dayNumber(d)
	if c.Starts != (text.Day{}) && isBefore(d, c.Starts) || c.Ends != (text.Day{}) && isBefore(c.Ends, d) {
		return nil
	}
	lines := make([]int32, 0, 8)
	for _, l := range c.dated {
		if c.Lines[l].When.Day == d {
			lines = append(lines, l)
		}
	}
	if !c.isExcept(d) {
		lines = append(lines, c.week[((n+4)%7+7)%7]...)
	}
	var all []SlotID
	for _, l := range lines {
		all = append(all, SlotID{c.ID, d, c.Lines[l].When.Clock})
	}
	slices.SortFunc(all, SlotID.compare)
	return slices.Compact(all)
}

// pair finds, on each day of which something has happened or was taken out by hand, which new slot stands for which old one.
func (m *Memory) pair(old, c *Campaign) {
	days := map[text.Day]bool{}
	for id, e := range m.Book {
		if e.State.hasHappened() {
			days[id.Day] = true
		}
	}
	for id := range m.Skips {
		days[id.Day] = true
	}
	for id := range m.Rescheduled {
		days[id.Day] = true
	}
	for _, d := range slices.SortedFunc(maps.Keys(days), func(a, b text.Day) int { return dayNumber(a) - dayNumber(b) }) {
		m.pairDay(old.slotsOfDay(d), c.slotsOfDay(d), d)
	}
}

// pairDay pairs what is gone of a day with what has come to it.
func (m *Memory) pairDay(were, are []SlotID, d text.Day) {
	gone := slices.Clone(were)
	for id, e := range m.Book { // also what an earlier edit has removed
		// Or an edit that takes a slot away, and one that puts it back under another clock, would have it happen twice.
		if id.Day == d && e.State.hasHappened() && !slices.Contains(gone, id) && !m.stoodFor(were, id) {
			gone = append(gone, id)
		}
	}
	gone = slices.DeleteFunc(gone, func(id SlotID) bool { return slices.Contains(are, id) })
	slices.SortFunc(gone, SlotID.compare)
	come := slices.DeleteFunc(slices.Clone(are), func(id SlotID) bool {
		e, is := m.Book[id]
		return slices.Contains(were, id) || is && e.State.Decided()
	})
	for i, id := range come {
		if i == len(gone) {
			return
		}
		m.standsFor(id, gone[i])
	}
}

// stoodFor reports whether one of the slots stands for id already.
func (m *Memory) stoodFor(slots []SlotID, id SlotID) bool {
	return slices.ContainsFunc(slots, func(s SlotID) bool {
		root, is := m.Moved[s]
		return is && root == id
	})
}

// standsFor notes that a slot is an old one under a new clock, where that matters.
func (m *Memory) standsFor(id, old SlotID) {
	root := old
	// To the first of them, however many edits there were: the book knows that name alone.
	if r, is := m.Moved[old]; is {
		root = r
	}
	if note, is := m.Skips[old]; is {
		m.Skips[id] = note
	}
	if to, is := m.Rescheduled[old]; is {
		m.Rescheduled[id] = to
	}
	if m.Book[root].State.hasHappened() { //mutate:slots-pair
		if m.Moved == nil {
			m.Moved = map[SlotID]SlotID{}
		}
		m.Moved[id] = root
	}
}

// align puts what is remembered of items into the order of the file. The place in the order goes back to the item before, when its own
// is gone.
func (m *Memory) align(c *Campaign) {
	takesTurns := func(key string) bool { i, is := c.index[key]; return is && !c.Items[i].Only }
	if m.Place != "" && !takesTurns(m.Place) && c.Turn != Shuffle { //mutate:slots-align
		i := m.at(0, m.Place)
		for i >= 0 && !takesTurns(m.Items[i].Key) {
			i--
		}
		if m.Place = ""; i >= 0 {
			m.Place = m.Items[i].Key
		}
	}
	items := make([]used, 0, max(len(c.Items), len(m.Items)))
	for i := range c.Items {
		items = append(items, m.usedItem(i, c.Items[i].Key))
	}
	for _, u := range m.Items {
		if _, there := c.index[u.Key]; !there && u != (used{Key: u.Key}) {
			items = append(items, u)
		}
	}
	m.Items = items
	m.Owed = slices.DeleteFunc(slices.Clone(m.Owed), func(key string) bool { return !takesTurns(key) })
}
