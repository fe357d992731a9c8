package survey

import (
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Outlook is what the plan makes of one campaign over its life, in numbers: for people who check files before they are in force.
type Outlook struct {
	Campaign *campaigns.Campaign
	Slots    int                      // that come
	Filled   int                      // of them
	Lines    []LineOutlook            // as Campaign.Lines
	Items    map[string]int           // how often each item is published, by its Key
	Why      map[string]campaigns.Why // why an item did not come, the last time that a slot stayed empty
	Empty    []Unfilled               // why slots stay empty that no line is to blame for
	Apart    time.Duration            // the least time between two of its slots; 0: there is one at most
	PerTotal int                      // the most publications in the time of Campaign.Total
	Twins    *Twins                   // the first text that comes twice within a day
	Cut      bool                     // not all slots were looked at
	Busiest  *Busiest                 // of the account

	recent []time.Time
	last   time.Time
}

// LineOutlook is what becomes of a line's slots.
type LineOutlook struct {
	Slots, Filled int
	Empty         []Unfilled // by reason
}

// Unfilled are slots that stay empty for one reason.
type Unfilled struct {
	Code   campaigns.Code
	N      int
	First  campaigns.Slot    // of TooClose the one that comes closest
	Why    campaigns.Why     // of that one
	Others []campaigns.Other // of that one

	// Of TooClose: what stands in the way. It may be a campaign of the account's others.
	By      *campaigns.Campaign
	ByLine  int
	ByAt    time.Time     // the clock on the wall of the first one's
	Nearest time.Duration // the least time in between
}

// Twins is a text that is published twice within a day.
type Twins struct {
	First, Second campaigns.Slot
	By            *campaigns.Campaign // of the first one
	Text          string
}

// Busiest is the time of the account's budget with the most publications.
type Busiest struct {
	N    int
	From campaigns.Slot // the first of them

	recent []campaigns.Slot
}

// count counts a publication.
func (b *Busiest) count(s campaigns.Slot, per time.Duration) {
	b.recent = slices.DeleteFunc(b.recent, func(p campaigns.Slot) bool { return s.Minute.Sub(p.Minute) >= per })
	if b.recent = append(b.recent, s); len(b.recent) > b.N {
		b.N, b.From = len(b.recent), b.recent[0]
	}
}

// twinsWithin is how soon one text may not come again.
const twinsWithin = 24 * time.Hour

// PlanOutlooks plans the campaigns of an account over their lives, from an empty memory, as if nothing else happened, and counts what comes
// of it. A campaign that does not end is looked at for a year. most bounds how many slots are looked at in all.
func PlanOutlooks(all []*campaigns.Campaign, budget campaigns.Budget, most int) []*Outlook {
	s := surveyor{of: map[string]*Outlook{}, came: map[int64]came{}, said: map[string]came{}, per: budget.Most.Per}
	a := &campaigns.Account{Campaigns: all, AccountFacts: campaigns.AccountFacts{Budget: budget}}
	out := make([]*Outlook, len(all))
	var from, to time.Time
	for i, c := range all {
		out[i] = &Outlook{Campaign: c, Lines: make([]LineOutlook, len(c.Lines)), Items: map[string]int{}, Why: map[string]campaigns.Why{}, Busiest: &s.busiest}
		s.of[c.ID] = out[i]
		first := c.Starts.At(0, c.Zone).Add(-48 * time.Hour)
		if from.IsZero() || first.Before(from) {
			from = first
		}
		if end := horizon(c); end.After(to) {
			to = end
		}
	}
	n := 0
	for v := range campaigns.Plan(a, from, from, to) {
		if n++; n > most {
			for _, o := range out {
				o.Cut = true
			}
			break
		}
		s.count(&v)
	}
	return out
}

// horizon is until when a campaign is looked at.
func horizon(c *campaigns.Campaign) time.Time {
	end := c.Ends
	if end == (text.Day{}) {
		end = text.DayOf(time.Unix(int64(number(c.Starts)+aYear)*86400, 0).UTC())
	}
	return end.At(0, c.Zone).Add(72*time.Hour + c.Jitter + c.Behind)
}

// aYear is how many days a campaign is looked at that does not end.
const aYear = 365

// number counts days, so that they can be compared.
func number(d text.Day) int {
	return int(time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// surveyor counts.
type surveyor struct {
	of      map[string]*Outlook
	per     time.Duration // of the budget
	busiest Busiest
	came    map[int64]came  // what is published, by when
	said    map[string]came // texts, the last time
}

// came is a publication.
type came struct {
	c    *campaigns.Campaign
	slot campaigns.Slot
	at   time.Time
}

func (s *surveyor) count(v *campaigns.Verdict) {
	o := s.of[v.Slot.ID.Campaign]
	c, line := o.Campaign, &o.Lines[v.Slot.Line]
	if c.Ends == (text.Day{}) && number(v.Slot.ID.Day) > number(c.Starts)+aYear {
		return // it does not end: a year is enough, also when another one lasts longer
	}
	o.Slots++
	line.Slots++
	if apart := v.Slot.Minute.Sub(o.last); !o.last.IsZero() && (o.Apart == 0 || apart < o.Apart) {
		o.Apart = max(apart, 1)
	}
	o.last = v.Slot.Minute
	if v.Kind.Publishes() {
		s.publishes(o, v)
		return
	}
	for _, other := range v.Others {
		o.Why[other.Item.Key] = other.Why
	}
	switch v.Why.Code {
	case campaigns.TooClose:
		s.close(o, v)
	case campaigns.Missing:
		line.empty(v)
	case campaigns.NoPost:
		if c.Lines[v.Slot.Line].Own != "" {
			line.empty(v)
			return
		}
		o.empty(v)
	default:
		o.empty(v)
	}
}

// publishes counts a slot that is filled.
func (s *surveyor) publishes(o *Outlook, v *campaigns.Verdict) {
	s.busiest.count(v.Slot, s.per)
	o.Filled++
	o.Lines[v.Slot.Line].Filled++
	o.Items[v.Item.Key]++
	p := came{o.Campaign, v.Slot, v.At}
	s.came[v.At.Unix()] = p
	if per := o.Campaign.Total.Per; per > 0 {
		for len(o.recent) > 0 && v.At.Sub(o.recent[0]) >= per {
			o.recent = o.recent[1:]
		}
		o.recent = append(o.recent, v.At)
		o.PerTotal = max(o.PerTotal, len(o.recent))
	}
	if v.Item.Text == "" {
		return
	}
	words := strings.ToLower(strings.Join(strings.Fields(v.Item.Text), " "))
	if first, again := s.said[words]; again && o.Twins == nil && passedOnWall(first.at, v.At, o.Campaign.Zone) < twinsWithin { //mutate:check-twins
		o.Twins = &Twins{First: first.slot, Second: v.Slot, By: first.c, Text: v.Item.Name()}
	}
	s.said[words] = p
}

// passedOnWall returns how much later a clock on the wall of a zone shows: a gap of whole days is counted so, and what keeps it is no twin.
func passedOnWall(from, to time.Time, zone *time.Location) time.Duration {
	_, before := from.In(zone).Zone()
	_, now := to.In(zone).Zone()
	return to.Sub(from) + time.Duration(now-before)*time.Second
}

// close counts a slot that is too close to what was published before.
func (s *surveyor) close(o *Outlook, v *campaigns.Verdict) {
	by, known := s.came[v.Why.At.Unix()]
	if !known {
		o.empty(v)
		return
	}
	line, near := &o.Lines[v.Slot.Line], v.Slot.Minute.Sub(by.at)
	for i := range line.Empty {
		e := &line.Empty[i]
		if e.Code == campaigns.TooClose && e.By == by.c && e.ByLine == by.slot.Line {
			if e.N++; near < e.Nearest {
				e.First, e.Why, e.ByAt, e.Nearest = v.Slot, v.Why, by.slot.At, near
			}
			return
		}
	}
	line.Empty = append(line.Empty, Unfilled{Code: campaigns.TooClose, N: 1, First: v.Slot, Why: v.Why, By: by.c, ByLine: by.slot.Line, ByAt: by.slot.At, Nearest: near})
}

func (l *LineOutlook) empty(v *campaigns.Verdict) { l.Empty = counted(l.Empty, v) }
func (o *Outlook) empty(v *campaigns.Verdict)     { o.Empty = counted(o.Empty, v) }

// counted counts a slot that stays empty.
func counted(all []Unfilled, v *campaigns.Verdict) []Unfilled {
	for i := range all {
		if all[i].Code == v.Why.Code {
			all[i].N++
			return all
		}
	}
	return append(all, Unfilled{Code: v.Why.Code, N: 1, First: v.Slot, Why: v.Why, Others: v.Others})
}
