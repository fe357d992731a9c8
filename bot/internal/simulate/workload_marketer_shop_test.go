package simulate_test

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// shop is an account with campaigns.
type shop struct {
	name    event.Account
	account platform.UserID
	zone    *time.Location
	wares   []*ware
	force   []campaigns.Campaign // as they are written; what nobody uses is in aside
	aside   []campaigns.Campaign
	renamed int

	textsAsked bool // only what somebody has approved is said
	mu         *sync.Mutex

	windows   []window
	released  map[string]*release // by the key of the action
	disturbed []time.Time
	foreseen  map[campaigns.SlotID]foreseen
	wishes    []*shopWish
	barred    map[campaigns.SlotID]campaigns.SlotID // slots that stand for others that have happened
}

// ware is a post that campaigns repost.
type ware struct {
	post   platform.PostID
	own    bool
	asked  bool        // only a campaign has it whose every slot is approved
	gone   bool        // it was deleted
	undone bool        // somebody has asked for its repost to be taken back
	hands  []time.Time // when somebody did something to it, or took its repost
}

// window is when a slot may leave.
type window struct {
	items       []string
	from, until time.Time
}

// shopBudget is what an account publishes at most.
var shopBudget = campaigns.Budget{Most: text.Limit{Max: 30, Per: time.Hour}, Apart: shopApart}

// newShop makes a shop with one to three campaigns.
func (g *marketer) newShop(name string, d draw) *shop {
	s := &shop{name: event.Account(name), mu: &g.mu, released: map[string]*release{}, foreseen: map[campaigns.SlotID]foreseen{}, barred: map[campaigns.SlotID]campaigns.SlotID{}}
	s.account = g.s.addAccount(s.name)
	s.zone = time.UTC
	for i, start := range marketersDays {
		if start.Equal(g.s.plan.start) {
			s.zone, _ = time.LoadLocation(marketersZones[i])
		}
	}
	for i := range 8 {
		w := &ware{own: i%2 == 0, asked: i >= 5}
		by := g.author
		if w.own {
			by = s.account
		}
		w.post = g.s.platform.Post(by, fmt.Sprintf("%s ware %d", name, i))
		s.wares = append(s.wares, w)
	}
	most := 1 + d.n(3)
	for _, c := range []campaigns.Campaign{s.turns(&d), s.asked(&d), s.texts(&d)} {
		if len(s.force) < int(most) && d.n(4) > 0 || c.ID == "turns" {
			s.force = append(s.force, c)
		} else {
			s.aside = append(s.aside, c)
		}
	}
	return s
}

// campaign is what all campaigns of the shop have.
func (s *shop) campaign(id string, d *draw) campaigns.Campaign {
	c := campaigns.Campaign{
		ID: id, Account: s.name, Do: campaigns.Repost, Status: campaigns.Live, Zone: s.zone, Starts: text.DayOf(time.Now().AddDate(0, 0, -2)),
		Gap: shopGap, Renews: true, Turn: []campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}[d.n(3)],
		Missed: campaigns.Missed{What: []campaigns.WhenMissed{campaigns.SkipMissed, campaigns.Within, campaigns.NextSlot}[d.n(3)], Within: 4 * time.Minute},
		Jitter: time.Duration(d.n(3)) * time.Minute, KeepApart: time.Duration(d.n(2)) * shopApart, AtLeast: time.Duration(d.n(3)) * 30 * time.Second,
	}
	for at := time.Now().Add(time.Duration(1+d.n(3)) * time.Minute); time.Until(at) < marketersTime; at = at.Add(time.Duration(2+d.n(4)) * time.Minute) {
		s.slot(&c, at)
	}
	return c
}

// slot adds a slot at a minute, unless its name is there.
func (s *shop) slot(c *campaigns.Campaign, at time.Time) {
	at = at.In(s.zone)
	l := campaigns.Line{When: text.WhenTime{Day: text.DayOf(at), Clock: text.Clock(at.Hour()*60 + at.Minute())}}
	if !slices.Contains(c.Lines, l) {
		c.Lines = append(c.Lines, l)
	}
}

// turns reposts at once.
func (s *shop) turns(d *draw) campaigns.Campaign {
	c := s.campaign("turns", d)
	c.Each = []int{0, 0, 1, 2}[d.n(4)]
	for _, w := range s.wares {
		if !w.asked {
			c.Items = append(c.Items, campaigns.Item{Key: campaigns.PostKey(w.post), Post: w.post})
		}
	}
	return c
}

// asked reposts what somebody has approved.
func (s *shop) asked(d *draw) campaigns.Campaign {
	c := s.campaign("asked", d)
	c.Status = campaigns.Ask
	for i, w := range s.wares {
		if w.asked || i == 0 {
			c.Items = append(c.Items, campaigns.Item{Key: campaigns.PostKey(w.post), Post: w.post})
		}
	}
	return c
}

// texts publishes own texts.
func (s *shop) texts(d *draw) campaigns.Campaign {
	c := s.campaign("texts", d)
	c.Do, c.Each = campaigns.Publish, int(d.n(3))
	if d.n(2) == 0 {
		c.Status, s.textsAsked = campaigns.Ask, true
	}
	for i := range 4 {
		said := fmt.Sprintf("%s says %d", s.name, i)
		c.Items = append(c.Items, campaigns.Item{Key: campaigns.TextKey(said), Text: said})
	}
	return c
}

// ready returns what is in force, and notes when it may leave.
func (s *shop) ready() (all []*campaigns.Campaign) {
	for i := range s.force {
		c, err := campaigns.New(s.force[i])
		if err != nil {
			panic(err) // the simulator's own fault
		}
		all = append(all, c)
		s.watch(c)
	}
	return all
}

// watch notes when what is in force may leave, from now on.
func (s *shop) watch(c *campaigns.Campaign) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []string
	for i := range c.Items {
		items = append(items, c.Items[i].Key)
	}
	for slot := range c.Slots(time.Now().Add(-10*time.Minute), time.Now().Add(time.Hour)) {
		w := window{items: items, from: slot.Minute, until: slot.Minute.Add(shopTolerance)}
		if end := slot.Minute.Add(c.Missed.Within); c.Missed.What == campaigns.Within && end.After(w.until) {
			if next := slot.Next.Add(-c.KeepApart); !slot.Next.IsZero() && next.Before(end) {
				end = next
			}
			if end.After(w.until) {
				w.until = end
			}
		}
		s.windows = append(s.windows, w)
	}
}

// edit changes what is written, in one of the ways in which people do.
func (s *shop) edit(d *draw) {
	if len(s.force) == 0 || d.n(10) == 0 && len(s.aside) > 0 {
		s.force, s.aside = append(s.force, s.aside[0]), slices.Delete(s.aside, 0, 1)
		return
	}
	i := d.n(int64(len(s.force)))
	c := s.force[i]
	c.Lines, c.Items = slices.Clone(c.Lines), slices.Clone(c.Items)
	line := d.n(int64(len(c.Lines)))
	switch d.n(14) {
	case 0, 1, 2: // another clock
		c.Lines[line].When.Clock = (c.Lines[line].When.Clock + text.Clock(1+d.n(5))) % (24 * 60)
	case 3: // an earlier one
		c.Lines[line].When.Clock = max(c.Lines[line].When.Clock-text.Clock(1+d.n(4)), 0)
	case 4:
		c.Lines = slices.Delete(c.Lines, int(line), int(line)+1)
		s.slot(&c, time.Now().Add(time.Duration(d.n(4))*time.Minute))
	case 5, 6:
		s.slot(&c, time.Now().Add(time.Duration(d.n(6))*time.Minute))
	case 7:
		slices.Reverse(c.Items)
	case 8:
		c.Jitter = time.Duration(d.n(3)) * time.Minute
	case 9:
		s.force = slices.Delete(s.force, int(i), int(i)+1)
		s.aside = append(s.aside, c)
		return
	case 10: // under another name it is another one
		s.renamed++
		c.ID = fmt.Sprint(c.ID, s.renamed)
	case 11, 12: // a line is moved to the end
		c.Items = append(c.Items[1:], c.Items[0])
	default:
		c.Status = []campaigns.Status{campaigns.Paused, campaigns.Watch, campaigns.Ask, c.Status}[d.n(4)]
	}
	slices.SortStableFunc(c.Lines, func(a, b campaigns.Line) int { return int(a.When.Clock - b.When.Clock) })
	c.Lines = slices.Compact(c.Lines)
	s.force[i] = c
}

// key is what a ware is called.
func (w *ware) key() string { return campaigns.PostKey(w.post) }
