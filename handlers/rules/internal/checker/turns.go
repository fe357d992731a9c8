package checker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/survey"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

func numberText(n int) string { return strconv.Itoa(n) }

// tellWithin says that a missed slot cannot wait as long as it is written: the next one comes.
func (s *shown) tellWithin() {
	m := s.camp.IfMissed
	room := s.Apart - time.Duration(s.camp.KeepApart)
	if m.What == "within" && s.Apart > 0 && time.Duration(m.Within) > room {
		s.noteHint(s.camp.At, "if_missed: within %s reaches beyond the next slot, which may come %s later: it ends there", m.Within, minutesText(s.Apart))
	}
}

// tellTwins says that one text comes twice within a day.
func (s *shown) tellTwins() {
	t := s.Twins
	if t == nil {
		return
	}
	of := ""
	if t.By.ID != s.Campaign.ID {
		of = " (" + t.By.ID + ")"
	}
	s.add(s.slotAt(t.Second.Line).At, "texts: %s comes on %s%s and again on %s: the same text not twice within a day: write repeat: { gap: 1d }, or other words",
		t.Text, clockOf(t.First), of, clockOf(t.Second))
}

// clockOf names the day and time of a slot.
func clockOf(s campaigns.Slot) string { return s.At.Format("Mon 2 January 15:04") }

// tellUnfilled says why slots stay empty, those of all lines together.
func (s *shown) tellUnfilled(e *survey.Unfilled) {
	limits := s.lineOf(textfile.At{Line: s.camp.Limits.Line})
	empty := fmt.Sprintf("%d of %d slots stay empty, the first one on %s", e.N, s.Slots, clockOf(e.First))
	switch e.Code {
	case campaigns.OverWhole:
		s.noteHint(limits, "limits → whole_campaign: %d is reached early: %s", e.Why.N, empty)
	case campaigns.OverTotal:
		s.noteHint(limits, "limits → total: %s: %s", s.camp.Limits.Total, empty)
	case campaigns.OverBudget:
		s.noteHint(s.camp.At, "publishing → most: the account publishes %s at most: %s", text.Limit{Max: e.Why.N, Per: e.Why.Span}, empty)
	case campaigns.NoPost:
		s.noteHint(s.camp.At, "%s: %s", empty, s.emptyText(e.Others))
	default: // nothing that the files are to blame for
	}
}

// emptyText says why no item may come.
func (s *shown) emptyText(others []campaigns.Other) string {
	if s.camp.Repeat == nil && !slices.ContainsFunc(others, func(o campaigns.Other) bool { return o.Why.Code != campaigns.UsedUp }) {
		if s.camp.Do == "publish" {
			return "without repeat each text comes once: write for example repeat: { each_text: 4 times, gap: 4d }"
		}
		return "without repeat each post comes once: write for example repeat: { each_post: 4 times, gap: 4d, how: " + grammar.UndoThenRepost + " }"
	}
	const most = 3
	var all []string
	for _, o := range others[:min(len(others), most)] {
		all = append(all, fmt.Sprintf("%s: %s", o.Item.Name(), o.Why))
	}
	if len(others) > most {
		all = append(all, "and others")
	}
	if len(all) == 0 {
		return "nothing may come then"
	}
	return "nothing may come then (" + strings.Join(all, "; ") + ")"
}

// tellUnreached says which limits are never reached, so that they limit nothing.
func (s *shown) tellUnreached() {
	l := s.camp.Limits
	var names []string
	if l.Total != nil && l.Total.Per > 0 && s.PerTotal < l.Total.Max {
		names = append(names, "total: "+l.Total.String())
	}
	if l.Whole != nil && s.Filled < *l.Whole && !s.camp.Ends.Never {
		names = append(names, "whole_campaign: "+numberText(*l.Whole))
	}
	switch {
	case len(names) == 0:
	case l.Whole != nil && s.Filled < *l.Whole:
		s.noteHint(s.lineOf(textfile.At{Line: l.Line}), "limits: %s %s never reached: the campaign publishes %d times", listNames(names), isOrAre(names), s.Filled)
	default:
		s.noteHint(s.lineOf(textfile.At{Line: l.Line}), "limits: %s is never reached: the slots give %d in that time at most", names[0], s.PerTotal)
	}
}

func isOrAre(names []string) string {
	if len(names) > 1 {
		return "are"
	}
	return "is"
}

// tellTurns says which posts do not get their turns.
func (s *shown) tellTurns() {
	type lacking struct {
		came int
		why  string
	}
	var order []lacking
	of := map[lacking][]string{}
	c := s.Campaign
	for i := range c.Items {
		it := &c.Items[i]
		came, want := s.Items[it.Key], max(c.Each, 1)
		if it.Found() {
			want = 1
		}
		if it.Only || it.Status == campaigns.Paused || came >= want {
			continue
		}
		l := lacking{came, s.reason(it)}
		// Together by reason: a campaign of a hundred posts with too few slots is one line, not a hundred.
		if of[l] == nil {
			order = append(order, l)
		}
		of[l] = append(of[l], it.Name())
	}
	for _, l := range order {
		names := of[l]
		if n := len(names); n > 5 {
			names = append(slices.Clone(names[:5]), numberText(n-5)+" others")
		}
		s.noteHint(s.turnsAt(), "%s: %s", comesText(names, l.came, c.Each), l.why)
	}
}

// turnsAt is where it stands how often posts come.
func (s *shown) turnsAt() textfile.At {
	if r := s.camp.Repeat; r != nil {
		return s.lineOf(r.At)
	}
	return s.camp.At
}

// comesText says how often posts come.
func comesText(names []string, came, each int) string {
	who, verb, every := listNames(names), "comes", ""
	if len(names) > 1 {
		verb, every = "come", " each"
	}
	switch came {
	case 0:
		return who + " never " + verb
	case 1:
		return fmt.Sprintf("%s %s 1 time%s, not %d", who, verb, every, each)
	}
	return fmt.Sprintf("%s %s %d times%s, not %d", who, verb, came, every, each)
}

// reason says why an item does not get its turns.
func (s *shown) reason(it *campaigns.Item) string {
	if s.Filled < s.Slots {
		for i := range s.Empty {
			if e := &s.Empty[i]; e.Code == campaigns.OverWhole || e.Code == campaigns.OverTotal || e.Code == campaigns.OverBudget {
				return "the limits leave no more slots"
			}
		}
		if why, known := s.Why[it.Key]; known {
			return why.String()
		}
	}
	lost := 0
	for i := range s.Lines {
		for j := range s.Lines[i].Empty {
			lost += s.Lines[i].Empty[j].N
		}
	}
	when, less := "in a year", ""
	if !s.camp.Ends.Never {
		when = "up to " + s.camp.Ends.Day.At(0, time.UTC).Format("2 January 2006")
	}
	if lost > 0 {
		less = fmt.Sprintf(": %d of %d skipped", lost, s.Slots)
	}
	return "there are not enough slots " + when + less
}
