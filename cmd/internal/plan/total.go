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
func (x *campaignTotal) lines(m campaigns.Memory) []string {
	c := x.c
	first := fmt.Sprintf("%s to come", print.Several(x.slots, "slot", "slots"))
	switch {
	case x.slots == 0 && x.ends == "":
		first = "no slots to come"
		if c.Ends != (text.Day{}) {
			first += ": its last day is " + dayName(c.Ends)
		}
	case x.watch > 0:
		first += fmt.Sprintf(", %d filled if it were not on watch", x.watch+x.filled)
	default:
		first += fmt.Sprintf(", %d filled", x.filled)
	}
	all := []string{first + "." + x.turns(m)}
	if x.ends != "" {
		all = append(all, x.ends)
	}
	var limits []string
	switch {
	case c.Whole > 0 && !x.reached.IsZero():
		limits = append(limits, fmt.Sprintf("whole_campaign %d is reached: from %s on its slots stay empty", c.Whole, x.reached.In(c.Zone).Format("Mon 2 January")))
	case c.Whole > 0:
		limits = append(limits, fmt.Sprintf("whole_campaign %d is never reached: %d", c.Whole, m.Whole+x.whole))
	}
	for _, l := range []struct {
		n    int
		what string
	}{{x.total, fmt.Sprintf("total %d per %s", c.Total.Max, text.Duration(c.Total.Per))}, {x.close_, "the distance"}, {x.budget, "the budget"}} {
		if l.n > 0 {
			limits = append(limits, fmt.Sprintf("%s keeps %s empty", l.what, print.Several(l.n, "slot", "slots")))
		}
	}
	if len(limits) > 0 {
		all = append(all, "limits: "+strings.Join(limits, "; ")+".")
	}
	return all
}

// turns says which items do not come as often as they should.
func (x *campaignTotal) turns(m campaigns.Memory) string {
	c := x.c
	if c.Each == 0 || c.Ends == (text.Day{}) || x.slots == 0 {
		return ""
	}
	short := map[int][]string{} // items, by how often they come
	for i := range c.Items {
		it := &c.Items[i]
		if it.Only || it.Found() {
			continue
		}
		done := 0
		for _, u := range m.Items {
			if u.Key == it.Key {
				done = u.Done
			}
		}
		if n := done + x.comes[it.Key]; n < c.Each {
			short[n] = append(short[n], it.Name())
		}
	}
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(short)) {
		fmt.Fprintf(&b, " %s %s %s, not %d", print.Listed(short[n]), map[bool]string{true: "comes", false: "come"}[len(short[n]) == 1], print.Several(n, "time", "times"), c.Each)
		if x.filled+x.watch == x.slots {
			fmt.Fprintf(&b, ": there are not enough slots before %s", dayName(c.Ends))
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
