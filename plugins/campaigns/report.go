package campaigns

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/text"
)

// stage is what is kept of a campaign to tell people how it went.
type stage struct {
	Published int       `json:"published,omitempty"`
	Would     int       `json:"would,omitempty"` // on watch
	Skipped   int       `json:"skipped,omitempty"`
	Over      time.Time `json:"over,omitzero"`     // when it was told that it is over
	Reported  time.Time `json:"reported,omitzero"` // up to when a report has told; zero: none is written
	Ended     []past    `json:"ended,omitempty"`   // the slots since then
	More      int       `json:"more,omitempty"`    // those that are not in Ended
}

// past is a slot that is over.
type past struct {
	Slot  campaigns.SlotID `json:"slot"`
	State campaigns.State  `json:"state"`
	At    time.Time        `json:"at"`
	What  string           `json:"what,omitempty"`
	Why   string           `json:"why,omitempty"`
}

// mostPast is how many slots a report names.
const mostPast = 100

// passes returns the stage of a campaign after the slots that have ended between two states of its book; false when none has.
func (s stage) passes(c *campaigns.Campaign, was, is campaigns.Book) (now stage, any bool) {
	var ended []campaigns.SlotID
	for id, e := range is {
		if before, known := was[id]; !e.State.Open() && (!known || before.State.Open()) {
			ended = append(ended, id)
		}
	}
	slices.SortFunc(ended, func(a, b campaigns.SlotID) int {
		return cmp.Or(is[a].Minute.Compare(is[b].Minute), strings.Compare(a.String(), b.String()))
	})
	for _, id := range ended {
		e := is[id]
		switch e.State {
		case campaigns.Done:
			s.Published++
		case campaigns.Would:
			s.Would++
		default:
			s.Skipped++
		}
		switch {
		case c == nil || c.Report == nil:
		// It is stored with the memory of the campaign, and written with each change of that: what it names has a bound.
		case len(s.Ended) == mostPast:
			s.More++
		default:
			p := past{Slot: id, State: e.State, At: e.Minute, What: wasOf(c, &e), Why: e.Why}
			if e.State == campaigns.Done {
				p.At = e.At
			}
			s.Ended = append(slices.Clip(s.Ended), p)
		}
	}
	return s, len(ended) > 0
}

// wasOf names what stands in the book.
func wasOf(c *campaigns.Campaign, e *campaigns.Entry) string {
	for i := range c.Items {
		if it := &c.Items[i]; it.Key == e.Item && e.Post == 0 {
			return it.Name()
		}
	}
	if e.Post == 0 {
		return ""
	}
	return fmt.Sprint(int64(e.Post))
}

// countEnded counts the slots that have ended in this turn, once nothing is decided any more.
func (s *state) countEnded() {
	if s.tallied {
		return
	}
	s.tallied = true
	for id, m := range s.Memories {
		was := s.was.campaigns[id]
		if isSame(&m, &was.Memory) {
			continue
		}
		if l, ended := s.stageOf(id).passes(s.campaignByID(id), was.Book, m.Book); ended {
			s.stages[id] = l
		}
	}
}

// stageOf returns what is kept of a campaign.
func (s *state) stageOf(id string) stage {
	if l, changed := s.stages[id]; changed {
		return l
	}
	return s.was.campaigns[id].Stage
}

// tellDue tells people what is due: reports, and campaigns that are over. It returns when the next one is; false for never.
func (s *state) tellDue(t *bot.Turn) (next time.Time, is bool) {
	for _, c := range s.Campaigns {
		for _, due := range []func(*bot.Turn, *campaigns.Campaign) time.Time{s.report, s.overs} {
			if at := due(t, c); !at.IsZero() && (!is || at.Before(next)) {
				next, is = at, true
			}
		}
	}
	if at := t.Now.Add(shiftLook); len(s.shifting) > 0 && (!is || at.Before(next)) {
		next, is = at, true
	}
	return next, is
}

// report tells a team how a campaign went since the last report, and returns when the next one is due. Those that were due while
// the bot was away are one.
func (s *state) report(t *bot.Turn, c *campaigns.Campaign) (next time.Time) {
	r := c.Report
	if r == nil {
		return time.Time{}
	}
	l := s.stageOf(c.ID)
	if l.Reported.IsZero() {
		l.Reported = t.Now
		s.stages[c.ID] = l
	}
	due := nextMoment(r.Every, l.Reported, c.Zone)
	if due.After(t.Now) {
		return due
	}
	for next = nextMoment(r.Every, due, c.Zone); !next.After(t.Now); next = nextMoment(r.Every, due, c.Zone) {
		due = next
	}
	if says := s.says(t, c, l, next); says != "" {
		t.Notify(event.Notice{Who: cmp.Or(r.To, event.Everybody), Kind: notify.KindCampaign, Text: says})
	}
	l.Reported, l.Ended, l.More = due, nil, 0 //mutate:report-once
	s.stages[c.ID] = l
	return next
}

// nextMoment returns the first such moment after t.
func nextMoment(w text.WhenTime, t time.Time, zone *time.Location) time.Time {
	return w.Next(t.In(zone).Add(1))
}

// says is a report; "" when there is nothing to tell.
func (s *state) says(t *bot.Turn, c *campaigns.Campaign, l stage, next time.Time) string {
	published, skipped := parts(l.Ended, c)
	var comes []string
	for v := range campaigns.Plan(&s.Account, t.Now, time.Time{}, next) {
		if v.Slot.ID.Campaign != c.ID || v.Kind == campaigns.Booked && !v.Entry.State.Open() {
			continue
		}
		comes = append(comes, fmt.Sprintf("%s %s", v.At.In(c.Zone).Format(clock), comingText(c, &v)))
	}
	if len(l.Ended)+len(comes) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The campaign %s since %s.", cmp.Or(c.Name, c.ID), l.Reported.In(c.Zone).Format("Mon 2 January"))
	section(&b, "Published", published)
	section(&b, "Skipped", skipped)
	if l.More > 0 {
		fmt.Fprintf(&b, "\nAnd %d slots more: nectar campaigns show %s.", l.More, c.ID)
	}
	section(&b, "To come until "+next.Format(clock), comes)
	return b.String()
}

// clock is how a report writes a time of the next days.
const clock = "Mon 2 Jan 15:04"

// parts are the lines of a report about what is over.
func parts(ended []past, c *campaigns.Campaign) (published, skipped []string) {
	for _, p := range ended {
		at := p.At.In(c.Zone).Format(clock)
		switch p.State {
		case campaigns.Done:
			published = append(published, at+" "+p.What)
		case campaigns.Would:
			published = append(published, at+" "+p.What+", but for its status watch")
		default:
			skipped = append(skipped, strings.TrimSpace(at+" "+p.What)+": "+p.Why)
		}
	}
	return published, skipped
}

// comingText says what a slot of the plan does.
func comingText(c *campaigns.Campaign, v *campaigns.Verdict) string {
	switch v.Kind {
	case campaigns.Asks:
		return slotText(c, v) + ", once it is approved"
	case campaigns.Go:
		return slotText(c, v)
	case campaigns.Watched:
		return slotText(c, v) + ", but for its status watch"
	case campaigns.Booked:
		return wasOf(c, v.Entry) + ", on its way"
	default:
		return "stays empty: " + v.Why.String()
	}
}

// section writes what is under a heading into a line; services show notices as one.
func section(b *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		fmt.Fprintf(b, "\n%s: nothing.", heading)
		return
	}
	fmt.Fprintf(b, "\n%s, %d: %s.", heading, len(lines), strings.Join(lines, "; "))
}

// overs tells people, once, that a campaign is over, and returns when it will be; zero for never, and for one that was told.
func (s *state) overs(t *bot.Turn, c *campaigns.Campaign) time.Time {
	if c.Ends == (text.Day{}) {
		return time.Time{}
	}
	m, l := s.Memories[c.ID], s.stageOf(c.ID)
	end := c.Ends.At(24*60, c.Zone).Add(c.Jitter + c.Behind + c.Missed.Within + 5*time.Minute)
	if end.After(t.Now) || len(openOf(m.Book)) > 0 {
		if !l.Over.IsZero() { // an edit lets it go on
			l.Over = time.Time{}
			s.stages[c.ID] = l
		}
		return campaigns.LaterTime(end, t.Now.Add(time.Minute))
	}
	if !l.Over.IsZero() {
		return time.Time{}
	}
	l.Over = t.Now //mutate:report-over
	s.stages[c.ID] = l
	if m.Ended != nil || l.Published+l.Skipped+l.Would == 0 {
		return time.Time{} // it was told, or there never was anything
	}
	count := fmt.Sprintf("%d published", l.Published)
	if l.Would > 0 {
		count += fmt.Sprintf(", %d would have been, but for the status watch", l.Would)
	}
	tellTeam(t, c, "The campaign %s is over: %s, %d skipped", cmp.Or(c.Name, c.ID), count, l.Skipped)
	return time.Time{}
}
