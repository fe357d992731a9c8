package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// planTotal is what the plan of an account comes to.
type planTotal struct {
	account *campaigns.Account
	of      []*campaignTotal
	at      []time.Time // publications, those that are known and those to come
}

// campaignTotal is what the plan of one campaign comes to.
type campaignTotal struct {
	c                     *campaigns.Campaign
	slots, filled, watch  int
	comes                 map[string]int // by the key of the item: to come
	whole                 int            // publications to come
	last                  time.Time      // of them
	reached               time.Time      // the first slot that stays empty since the campaign has made all its publications
	total, budget, close_ int            // slots that stay empty for a limit
	ends                  string         // why it ends, or has ended
}

func newPlanTotal(a *campaigns.Account, only string) planTotal {
	t := planTotal{account: a}
	for _, c := range a.Campaigns {
		if only == "" || c.ID == only {
			t.of = append(t.of, &campaignTotal{c: c, comes: map[string]int{}})
		}
	}
	for _, p := range a.Uses.Published {
		t.at = append(t.at, p.At)
	}
	return t
}

// add counts a slot to come.
func (t *planTotal) add(v *campaigns.Verdict) {
	if v.Kind.Publishes() {
		t.at = append(t.at, v.At)
	}
	i := slices.IndexFunc(t.of, func(x *campaignTotal) bool { return x.c.ID == v.Slot.ID.Campaign })
	if i < 0 || v.Kind == campaigns.Booked {
		return
	}
	x := t.of[i]
	x.slots++
	switch {
	case v.Kind.Publishes():
		x.filled++
		x.whole++
		x.comes[v.Item.Key]++
		x.last = v.At
	case v.Kind == campaigns.Watched:
		x.watch++
		x.comes[v.Item.Key]++
	case v.Why.Code == campaigns.OverWhole && x.reached.IsZero():
		x.reached = v.At
	case v.Why.Code == campaigns.OverTotal:
		x.total++
	case v.Why.Code == campaigns.OverBudget:
		x.budget++
	case v.Why.Code == campaigns.TooClose:
		x.close_++
	case v.Why.Code == campaigns.Ended:
		x.ends = v.Why.String()
	}
}

// lines says what it comes to.
func (t *planTotal) lines() []string {
	var all []string
	for _, x := range t.of {
		name := ""
		if len(t.of) > 1 {
			name = x.c.ID + ": "
		}
		for _, l := range x.lines(t.account.Memories[x.c.ID]) {
			all = append(all, name+l)
		}
	}
	if len(t.at) > 0 {
		all = append(all, t.budget())
	}
	return all
}

// lines says what the plan of a campaign comes to.
func (c *campaignTotal) lines(m campaigns.Memory) []string {
	campaign := c.c
	first := fmt.Sprintf("%s to come", print.CountText(c.slots, "slot", "slots"))
	switch {
	case c.slots == 0 && c.ends == "":
		first = "no slots to come"
		if campaign.Ends != (text.Day{}) {
			first += ": its last day is " + dayName(campaign.Ends)
		}
	case c.watch > 0:
		first += fmt.Sprintf(", %d filled if it were not on watch", c.watch+c.filled)
	default:
		first += fmt.Sprintf(", %d filled", c.filled)
	}
	all := []string{first + "." + c.turns(m)}
	if c.ends != "" {
		all = append(all, c.ends)
	}
	var limits []string
	switch {
	case campaign.Whole > 0 && !c.reached.IsZero():
		limits = append(limits, fmt.Sprintf("whole_campaign %d is reached: from %s on its slots stay empty", campaign.Whole, c.reached.In(campaign.Zone).Format("Mon 2 January")))
	case campaign.Whole > 0:
		limits = append(limits, fmt.Sprintf("whole_campaign %d is never reached: %d", campaign.Whole, m.Whole+c.whole))
	}
	for _, l := range []struct {
		n    int
		what string
	}{{c.total, fmt.Sprintf("total %d per %s", campaign.Total.Max, text.Duration(campaign.Total.Per))}, {c.close_, "the distance"}, {c.budget, "the budget"}} {
		if l.n > 0 {
			limits = append(limits, fmt.Sprintf("%s keeps %s empty", l.what, print.CountText(l.n, "slot", "slots")))
		}
	}
	if len(limits) > 0 {
		all = append(all, "limits: "+strings.Join(limits, "; ")+".")
	}
	return all
}

// turns says which items do not come as often as they should.
func (c *campaignTotal) turns(m campaigns.Memory) string {
	campaign := c.c
	if campaign.Each == 0 || campaign.Ends == (text.Day{}) || c.slots == 0 {
		return ""
	}
	short := map[int][]string{} // items, by how often they come
	for i := range campaign.Items {
		it := &campaign.Items[i]
		if it.Only || it.Found() {
			continue
		}
		done := 0
		for _, u := range m.Items {
			if u.Key == it.Key {
				done = u.Done
			}
		}
		if n := done + c.comes[it.Key]; n < campaign.Each {
			short[n] = append(short[n], it.Name())
		}
	}
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(short)) {
		fmt.Fprintf(&b, " %s %s %s, not %d", print.JoinNames(short[n]), map[bool]string{true: "comes", false: "come"}[len(short[n]) == 1], print.CountText(n, "time", "times"), campaign.Each)
		if c.filled+c.watch == c.slots {
			fmt.Fprintf(&b, ": there are not enough slots up to %s", dayName(campaign.Ends))
		}
		b.WriteByte('.')
	}
	return b.String()
}

// budget says how much of the account's budget is used.
func (t *planTotal) budget() string {
	slices.SortFunc(t.at, time.Time.Compare)
	most, first := 0, 0
	b := t.account.AccountFacts.Budget
	for i, at := range t.at {
		for b.Most.Per > 0 && at.Sub(t.at[first]) >= b.Most.Per {
			first++
		}
		most = max(most, i-first+1)
	}
	if b.Most.Max == 0 {
		return fmt.Sprintf("Budget: as much as it likes; it comes to %d.", most)
	}
	per := "a day"
	if b.Most.Per != 24*time.Hour {
		per = "in " + text.Duration(b.Most.Per).String()
	}
	return fmt.Sprintf("Budget: at most %d of %d %s, %s apart.", most, b.Most.Max, per, text.Duration(b.Apart))
}

// dayName is a day as people say it.
func dayName(d text.Day) string { return d.At(0, time.UTC).Format("2 January") }
