package checker

import (
	"cmp"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/survey"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// pairSlots puts what two slots of the campaign are to each other to the later one on the wall: with a jitter, either may come first.
func (s *shown) pairSlots() {
	for i := range s.Lines {
		s.Lines[i].Empty = slices.DeleteFunc(s.Lines[i].Empty, func(e survey.Unfilled) bool {
			if e.Code != campaigns.TooClose || e.By.ID != s.Campaign.ID || !s.earlier(i, e.ByLine) {
				return false
			}
			later := &s.Lines[e.ByLine]
			at := slices.IndexFunc(later.Empty, func(o survey.Unfilled) bool {
				return o.Code == e.Code && o.By == e.By && o.ByLine == i
			})
			if at < 0 {
				e.ByLine = i
				later.Empty = append(later.Empty, e)
				return true
			}
			o := &later.Empty[at]
			n := o.N + e.N
			if e.Nearest < o.Nearest {
				*o, o.ByLine = e, i
			}
			o.N = n
			return true
		})
	}
}

// foldDays lets what is said of slots that are written together, as in daily 09:30, be said once, and not for each day.
func (s *shown) foldDays() {
	s.folded = map[*survey.Unfilled]int{}
	for i := range s.Lines {
		s.Lines[i].Empty = slices.DeleteFunc(s.Lines[i].Empty, func(e survey.Unfilled) bool {
			return e.Code == campaigns.TooClose && e.By.ID == s.Campaign.ID && s.foldInto(i, &e)
		})
	}
}

// foldInto adds a finding to the one of an earlier day; false when there is none.
func (s *shown) foldInto(i int, e *survey.Unfilled) bool {
	for j := range i {
		if !isSameClock(s.slotAt(j), s.slotAt(i)) {
			continue
		}
		for k := range s.Lines[j].Empty {
			first := &s.Lines[j].Empty[k]
			if first.Code != e.Code || first.By != e.By || !isSameClock(s.slotAt(first.ByLine), s.slotAt(e.ByLine)) {
				continue
			}
			s.folded[first] = s.slotsOf(j, first) + s.Lines[i].Slots
			first.N += e.N
			first.Nearest = min(first.Nearest, e.Nearest)
			return true
		}
	}
	return false
}

// isSameClock reports whether two slots are one clock of what is written together, on two days.
func isSameClock(a, b *grammar.PlannedSlot) bool {
	return a.Together == b.Together && a.When.Clock == b.When.Clock
}

// slotsOf returns how many slots there are of the days that a finding is about.
func (s *shown) slotsOf(i int, e *survey.Unfilled) int { return cmp.Or(s.folded[e], s.Lines[i].Slots) }

// namesOf names the two slots of a finding: without their day when it is about several.
func (s *shown) namesOf(e *survey.Unfilled, slot, other *grammar.PlannedSlot) (string, string) {
	if s.folded[e] > 0 {
		return slot.When.Clock.String(), other.When.Clock.String()
	}
	return slot.When.String(), other.When.String()
}

// earlier reports whether a line of the week comes before another one on the same day.
func (s *shown) earlier(i, j int) bool {
	a, b := s.slotAt(i).When, s.slotAt(j).When
	return a.Day == b.Day && a.Weekday == b.Weekday && a.Clock < b.Clock
}

// tellClose says that a slot comes too close to another one of its campaign.
func (s *shown) tellClose(i int, e *survey.Unfilled) {
	slot, other := s.slotAt(i), s.slotAt(e.ByLine)
	when, before := s.namesOf(e, slot, other)
	if e.N == 1 && e.First.At.Equal(e.ByAt) {
		s.noteProblem(s.weighProblem(i, e, slot.Hint("slots: the clocks leave out an hour on %s, so that %s and %s come at %s both: the second one is skipped",
			dayOf(e.First), before, when, e.First.At.Format("15:04"))))
		return
	}
	if apartOnWall(slot, other)-time.Duration(s.camp.Jitter.UpTo) >= e.Why.Span {
		which := "it"
		if slot.When.Weekday == other.When.Weekday && slot != other {
			which = "both"
		}
		cure := "To leave " + which + " out, write except: [" + e.First.ID.Day.String() + "]"
		if slot.When.Day != (text.Day{}) || other.When.Day != (text.Day{}) { // except is for slots of the week
			cure = "Put them farther apart"
		}
		s.noteProblem(s.weighProblem(i, e, slot.Hint("slots: since the clocks change, %s and %s come %s apart on %s, and %s is %s: the second one is skipped (%d of %d). %s",
			before, when, minutesText(e.Nearest), dayOf(e.First), s.keeps(e), minutesText(e.Why.Span), e.N, s.slotsOf(i, e), cure)))
		return
	}
	jitter := ""
	if s.camp.Jitter.UpTo > 0 {
		jitter = " with this jitter"
	}
	on := dayOf(e.First)
	if s.folded[e] > 0 {
		on += " and other days"
	}
	s.add(slot.At, "slots: %s and %s come %s apart%s on %s, and %s is %s: %d of %d would be skipped: %s",
		before, when, minutesText(e.Nearest), jitter, on, s.keeps(e), minutesText(e.Why.Span), e.N, s.slotsOf(i, e), s.cure(e, slot, other))
}

// apartOnWall returns how far apart two slots are by a clock on the wall; a slot is a week from itself.
func apartOnWall(a, b *grammar.PlannedSlot) time.Duration {
	const week = 7 * 24 * time.Hour
	inWeek := func(w text.WhenTime) time.Duration {
		return time.Duration(w.Weekday)*24*time.Hour + time.Duration(w.Clock)*time.Minute
	}
	d := (inWeek(a.When) - inWeek(b.When) + week) % week
	if a == b {
		return week
	}
	return min(d, week-d)
}

// tellFight says that a slot loses against one of another campaign.
func (s *shown) tellFight(i int, e *survey.Unfilled) {
	slot, by := s.slotAt(i), s.by[e.By.ID]
	other := by.slotAt(e.ByLine)
	p := slot.Problem("slots: %s comes %s after %s of %s (%s:%d), and %s is %s: %d of %d would be skipped",
		slot.When, minutesText(e.Nearest), other.When, e.By.ID, other.File, other.Line, s.keeps(e), minutesText(e.Why.Span), e.N, s.Lines[i].Slots)
	if slot.When == other.When {
		p.Text = slot.Problem("slots: %s is also a slot of %s (%s:%d): %d of %d would be skipped", slot.When, e.By.ID, other.File, other.Line, e.N, s.Lines[i].Slots).Text
	}
	if p = s.weighProblem(i, e, p); !grammar.MoreCareful(s.camp.Status, s.file.StatusOf()).Acts() || !grammar.MoreCareful(by.camp.Status, by.file.StatusOf()).Acts() {
		p.Hint = true // it comes true with the next step of the ladder
	}
	s.noteProblem(p)
}

// keeps names what keeps publications apart.
func (s *shown) keeps(e *survey.Unfilled) string {
	switch span := e.Why.Span; {
	case span == time.Duration(s.camp.KeepApart):
		return "keep_apart"
	case span == e.By.KeepApart:
		return "keep_apart of " + e.By.ID
	}
	return "the least time between publications (publishing → at_least_apart)"
}

// cure says at what time the slot would not be too close.
func (s *shown) cure(e *survey.Unfilled, slot, other *grammar.PlannedSlot) string {
	const step = 5
	apart := e.Why.Span
	at := int(other.When.Clock) + int((apart+time.Duration(s.camp.Jitter.UpTo))/time.Minute)
	at = (at + step - 1) / step * step
	if at >= 24*60 || slot.When.Weekday != other.When.Weekday {
		return "put them farther apart"
	}
	moved := slot.When
	moved.Clock = text.Clock(at)
	write := "write " + moved.String()
	if s.folded[e] > 0 {
		write = "write " + moved.Clock.String() + " in its place"
	}
	if s.camp.Jitter.UpTo > 0 && slot.When.Clock-other.When.Clock >= text.Clock(apart/time.Minute) {
		return write + ", or no jitter"
	}
	return write
}
