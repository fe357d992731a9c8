package campaigns_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"pgregory.net/rapid"
)

// calculator is a second plan of a campaign, made from docs/campaigns.md, sections 3, 4 and 6, and from nothing else. It is slow, and simple.
type calculator struct {
	c         *campaigns.Campaign
	published []time.Time
	last      map[string]time.Time // when each post came last
	came      map[string]int       // how often
	turns     map[string]int       // of least_used
	latest    string               // the post that had the last turn
	place     int                  // of the post behind which the order goes on
	owed      []string             // posts that were passed over
	waited    map[string]time.Time // the slot of each post's last turn
}

// minuteOf is when a clock on the wall first shows a time, or a later one.
func minuteOf(day text.Day, clock text.Clock, zone *time.Location) time.Time {
	want := time.Date(day.Year, day.Month, day.Day, 0, int(clock), 0, 0, time.UTC)
	shows := func(t time.Time) time.Time {
		w := t.In(zone)
		return time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), 0, 0, time.UTC)
	}
	t := want.Add(-30 * time.Hour)
	for shows(t).Before(want) {
		t = t.Add(15 * time.Minute)
	}
	for first := t.Add(-14 * time.Minute); first.Before(t); first = first.Add(time.Minute) {
		if !shows(first).Before(want) {
			return first
		}
	}
	return t
}

// slots are the slots up to a day, in their order.
func (c *calculator) slots(last text.Day) (all []campaigns.SlotID) {
	begins, ends := time.Date(c.c.Starts.Year, c.c.Starts.Month, c.c.Starts.Day, 0, 0, 0, 0, time.UTC), time.Date(last.Year, last.Month, last.Day, 0, 0, 0, 0, time.UTC)
	for d := begins; !d.After(ends); d = d.AddDate(0, 0, 1) {
		on := text.Day{Year: d.Year(), Month: d.Month(), Day: d.Day()}
		if slices.ContainsFunc(c.c.Except, func(e text.Dates) bool { return e.Holds(on) }) {
			continue
		}
		for _, l := range c.c.Lines {
			if l.When.Weekday == d.Weekday() {
				all = append(all, campaigns.SlotID{Campaign: c.c.ID, Day: on, Clock: l.When.Clock})
			}
		}
	}
	return all
}

// mayCome reports whether a post may come at a slot, and whether it may come later.
func (c *calculator) mayCome(it *campaigns.Item, day text.Day, at time.Time) (now, later bool) {
	before := it.NotBefore != text.Day{} && day.String() < it.NotBefore.String()
	spent := c.c.Each > 0 && c.came[it.Key] >= c.c.Each
	last, before2 := c.last[it.Key], false
	if !last.IsZero() {
		end := last.Add(c.c.Gap)
		if days := c.c.Gap / (24 * time.Hour); c.c.Gap == days*24*time.Hour { // on the wall: as if both were hours of a place whose clocks never change
			at, end = onWall(at, c.c.Zone), onWall(last, c.c.Zone).AddDate(0, 0, int(days))
		}
		before2 = at.Before(end)
	}
	return !before && !spent && !before2, !spent
}

// onWall reads a clock on the wall of a zone as if it hung in Greenwich.
func onWall(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// order are the posts as they are looked at for the next slot.
func (c *calculator) order() (keys []string) {
	if c.c.Turn == campaigns.LeastUsed {
		most := 0
		for _, n := range c.turns {
			most = max(most, n)
		}
		for _, it := range c.c.Items {
			keys = append(keys, it.Key)
		}
		had := func(key string) int { return max(c.turns[key], most-1) }
		slices.SortStableFunc(keys, func(a, b string) int {
			if had(a) != had(b) {
				return had(a) - had(b)
			}
			return c.waited[a].Compare(c.waited[b])
		})
		return keys
	}
	keys = slices.Clone(c.owed)
	for n := range c.c.Items {
		if it := c.c.Items[(c.place+1+n)%len(c.c.Items)]; !slices.Contains(keys, it.Key) {
			keys = append(keys, it.Key)
		}
	}
	return keys
}

// slot decides one slot, and returns the post that comes.
func (c *calculator) slot(day text.Day, at time.Time) string {
	within := 0
	for _, p := range c.published {
		if at.Sub(p) < max(c.c.KeepApart, time.Minute) {
			return "-"
		}
		if at.Sub(p) < c.c.Total.Per {
			within++
		}
	}
	if c.c.Total.Max > 0 && within >= c.c.Total.Max {
		return "-"
	}
	item := func(key string) *campaigns.Item {
		return &c.c.Items[slices.IndexFunc(c.c.Items, func(it campaigns.Item) bool { return it.Key == key })]
	}
	order, again := c.order(), ""
	var passed []string
	for _, key := range order {
		now, later := c.mayCome(item(key), day, at)
		switch {
		case key == c.latest && len(order) > 1:
			again = key // only if no other one may come
			continue
		case !now:
			if later && !slices.Contains(c.owed, key) {
				passed = append(passed, key)
			}
			continue
		}
		return c.take(key, passed, day, at)
	}
	if again != "" {
		if now, _ := c.mayCome(item(again), day, at); now {
			// Those looked at behind it were passed over by no other post.
			behind := slices.Index(order, again)
			passed = slices.DeleteFunc(passed, func(key string) bool { return slices.Index(order, key) > behind })
			return c.take(again, passed, day, at)
		}
	}
	return "-"
}

// take gives a slot to a post.
func (c *calculator) take(key string, passed []string, _ text.Day, at time.Time) string {
	if owed := slices.Index(c.owed, key); owed >= 0 {
		c.owed = slices.Delete(c.owed, owed, owed+1)
	} else {
		c.place = slices.IndexFunc(c.c.Items, func(it campaigns.Item) bool { return it.Key == key })
	}
	if c.c.Turn == campaigns.InOrder {
		c.owed = append(c.owed, passed...)
	}
	most := 0
	for _, n := range c.turns {
		most = max(most, n)
	}
	c.turns[key], c.waited[key] = max(c.turns[key], most-1)+1, at
	c.latest, c.last[key] = key, at
	c.came[key]++
	c.published = append(c.published, at)
	return key
}

// zones change their clocks in all ways that there are: twice a year, at midnight, by half an hour, in Ramadan, never; some are far from Greenwich.
var calculatedZones = []string{
	"UTC", "Europe/Lisbon", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo", "America/Santiago", "America/Havana", "America/St_Johns",
	"Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Asia/Beirut", "Asia/Jerusalem", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Apia", "Pacific/Kiritimati", "Africa/Casablanca", "Antarctica/Troll",
}

// The plan of three years is what the page says, in each zone.
func TestPlanIsWhatThePageSays(t *testing.T) {
	t.Parallel()
	for n, name := range calculatedZones {
		if effort.Few() && n > 2 {
			break
		}
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { calculateCampaign(t, name) })
		})
	}
}

// calculateCampaign compares a drawn campaign with the calculator.
func calculateCampaign(t *rapid.T, zoneName string) {
	items := posts(1, 2, 3, 4, 5)[:rapid.IntRange(1, 5).Draw(t, "posts")]
	if rapid.Bool().Draw(t, "not before") {
		items[rapid.IntRange(0, len(items)-1).Draw(t, "which")].NotBefore = date(t, fmt.Sprintf("2027-0%d-11", rapid.IntRange(1, 9).Draw(t, "month")))
	}
	var written []string
	for _, when := range rapid.SliceOfNDistinct(rapid.IntRange(0, 7*24*4-1), 1, 5, rapid.ID).Draw(t, "slots") {
		written = append(written, fmt.Sprintf("%s %02d:%02d", time.Weekday(when / 96).String()[:3], when/4%24, when%4*15))
	}
	c := campaigns.Campaign{
		ID: "drawn", Do: campaigns.Publish, Status: campaigns.Live, Zone: zone(t, zoneName), Starts: date(t, "2027-01-01"), Ends: date(t, "2029-12-31"),
		Items: items, Lines: lines(t, written...), Turn: rapid.SampledFrom([]campaigns.Turn{campaigns.InOrder, campaigns.LeastUsed}).Draw(t, "turn"),
		Each:      rapid.SampledFrom([]int{0, 3, 40}).Draw(t, "each"),
		Gap:       time.Duration(rapid.SampledFrom([]int{0, 5, 24, 48, 71, 168, 200}).Draw(t, "gap")) * time.Hour,
		KeepApart: time.Duration(rapid.SampledFrom([]int{0, 90, 1000}).Draw(t, "apart")) * time.Minute,
	}
	if rapid.Bool().Draw(t, "limit") {
		c.Total = text.Limit{Max: rapid.IntRange(1, 2).Draw(t, "most"), Per: day}
	}
	if rapid.Bool().Draw(t, "except") {
		c.Except = []text.Dates{dates(t, "2027-08-01..2027-08-31"), dates(t, "12-24..01-06")}
	}
	sum := calculator{c: &c, last: map[string]time.Time{}, came: map[string]int{}, turns: map[string]int{}, waited: map[string]time.Time{}, place: len(items) - 1}
	var want, got []string
	ready := ready(t, c)
	type slot struct {
		id campaigns.SlotID
		at time.Time
	}
	var slots []slot
	for _, id := range sum.slots(c.Ends) {
		slots = append(slots, slot{id, minuteOf(id.Day, id.Clock, c.Zone)})
	}
	slices.SortStableFunc(slots, func(a, b slot) int { return a.at.Compare(b.at) })
	for _, s := range slots {
		want = append(want, fmt.Sprintf("%s %s %s", s.id, s.at.UTC().Format(time.DateTime), sum.slot(s.id.Day, s.at)))
	}
	before := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for v := range campaigns.Plan(account(before, ready), before, before, before.AddDate(4, 0, 0)) {
		what := "-"
		if v.Kind == campaigns.Go {
			what = v.Item.Key
		}
		got = append(got, fmt.Sprintf("%s %s %s", v.Slot.ID, v.Slot.Minute.UTC().Format(time.DateTime), what))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-calculated +planned)\n%s", diff)
	}
}
