package campaigns_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// Each thing that an edit may change of a slot is told by its name.
func TestDifference(t *testing.T) {
	t.Parallel()
	only := func(c *campaigns.Campaign) {
		c.Ends, c.Lines = date(t, "2027-03-04"), lines(t, "Mon 12:00", "Tue 12:00", "Wed 12:00")
	}
	for name, c := range map[string]struct {
		change func(c *campaigns.Campaign)
		want   string
		waits  bool
	}{
		"nothing":          {func(*campaigns.Campaign) {}, "changes no slot", false},
		"another slot":     {func(c *campaigns.Campaign) { c.Lines = append(c.Lines, lines(t, "Thu 12:00")...) }, "adds 1", false},
		"a slot less":      {func(c *campaigns.Campaign) { c.Lines = c.Lines[:2] }, "removes 1", true},
		"another clock":    {func(c *campaigns.Campaign) { c.Lines = lines(t, "Mon 12:00", "Tue 13:00", "Wed 12:00") }, "moves 1", true},
		"another day":      {func(c *campaigns.Campaign) { c.Lines = lines(t, "Mon 12:00", "Tue 12:00", "Thu 12:00") }, "removes 1, adds 1", true},
		"a zone":           {func(c *campaigns.Campaign) { c.Zone = zone(t, "America/Chicago") }, "moves 3", true},
		"jitter":           {func(c *campaigns.Campaign) { c.Jitter = 5 * time.Hour }, "moves 3", true},
		"ends before":      {func(c *campaigns.Campaign) { c.Ends = date(t, "2027-03-02") }, "removes 1", true},
		"a day less":       {func(c *campaigns.Campaign) { c.Except = append(c.Except, dates(t, "2027-03-02")) }, "removes 1, uses 1 otherwise", true},
		"fewer posts":      {func(c *campaigns.Campaign) { c.Items, c.Each = posts(1, 3), 1 }, "leaves 1 empty, uses 1 otherwise", true},
		"a limit":          {func(c *campaigns.Campaign) { c.Whole = 1 }, "leaves 2 empty", true},
		"another order":    {func(c *campaigns.Campaign) { c.Items = posts(2, 1, 3) }, "uses 2 otherwise", true},
		"a post in front":  {func(c *campaigns.Campaign) { c.Items = posts(4, 1, 2, 3) }, "uses 3 otherwise", false},
		"a draft in front": {func(c *campaigns.Campaign) { c.Items, c.Drafts = posts(4, 1, 2, 3), posts(5) }, "uses 3 otherwise", false},
		"whose platform is known now": {
			func(c *campaigns.Campaign) {
				c.Items = posts(4, 1, 2, 3)
				c.Items[1].Platform = "social.example"
			}, "uses 3 otherwise", false,
		},
		"and one less":    {func(c *campaigns.Campaign) { c.Items = posts(4, 1, 2) }, "uses 3 otherwise", true},
		"a gap":           {func(c *campaigns.Campaign) { c.Gap = 3 * day }, "changes no slot", false},
		"to be asked for": {func(c *campaigns.Campaign) { c.Status = campaigns.Ask }, "uses 3 otherwise", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := account(start(t), daily(t, only))
			d := campaigns.Difference(a, []*campaigns.Campaign{daily(t, only, c.change)}, start(t))
			if d.String() != c.want || d.Waits() != c.waits {
				t.Errorf("the edit %s, waits: %v, and not: %s", d.String(), d.Waits(), c.want)
			}
		})
	}
}

// What is prepared is void when its slot goes, or when something else is to come in it; a campaign that has ended, or whose slots are
// over, goes without anybody being asked.
func TestDifferenceVoids(t *testing.T) {
	t.Parallel()
	ask := func(c *campaigns.Campaign) { c.Status, c.Ends = campaigns.Ask, date(t, "2027-03-02") }
	a := account(start(t), daily(t, ask))
	for v := range campaigns.Plan(a, start(t), time.Time{}, start(t).AddDate(0, 0, 1)) {
		a.Memories["daily"] = campaigns.Prepare(a.Memories["daily"], v, "", start(t))
	}
	for want, next := range map[string][]*campaigns.Campaign{
		"removes 2, voids 1 prepared":                   nil,
		"moves 2, voids 1 prepared":                     {daily(t, ask, func(c *campaigns.Campaign) { c.Lines = lines(t, "Mon 12:30", "Tue 12:30") })},
		"voids 1 prepared, uses 2 otherwise":            {daily(t, ask, func(c *campaigns.Campaign) { c.Items = posts(2, 3) })},
		"removes 1, voids 1 prepared, uses 1 otherwise": {daily(t, ask, func(c *campaigns.Campaign) { c.Items, c.Lines = posts(2, 3), c.Lines[:1] })},
		"changes no slot":                               {daily(t, ask, func(c *campaigns.Campaign) { c.Items = posts(1, 2, 3, 4) })},
	} {
		if d := campaigns.Difference(a, next, start(t)); d.String() != want {
			t.Errorf("the edit %s, and not: %s", d.String(), want)
		}
	}
	if d := campaigns.Difference(a, nil, start(t).AddDate(0, 0, 5)); d.Waits() {
		t.Errorf("of a campaign that is over the edit %s", d.String())
	}
	m := a.Memories["daily"]
	m.Ended, m.Book = &campaigns.Note{Why: "a post was deleted"}, nil
	a.Memories["daily"] = m
	if d := campaigns.Difference(a, nil, start(t)); d.Waits() {
		t.Errorf("of a campaign that has ended the edit %s", d.String())
	}
}

// slotted is a plan by its slots, as far as they are of use.
func slotted(a *campaigns.Account, now, to time.Time) map[string]string {
	all := map[string]string{}
	for v := range campaigns.Plan(a, now, time.Time{}, to) {
		switch v.Kind {
		case campaigns.Go, campaigns.Asks, campaigns.Watched:
			all[v.Slot.ID.String()] = fmt.Sprintf("%s %s %s %d %v", v.Slot.Minute.UTC(), v.Kind, v.Item.Key, v.Post, v.Renew)
		default:
		}
	}
	return all
}

// What a difference says is what its edit does, slot by slot, after any history; once it is in force nothing is different any more.
func TestDifferenceIsWhatTheEditDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAccount(t)
		r := newRunner(t, a, drawnStart)
		r.platform, r.says = shows(a), !a.AccountFacts.Silent
		now := drawnStart.Add(time.Duration(rapid.IntRange(0, 9*24*60).Draw(t, "minutes")) * time.Minute)
		r.until(now)
		next := drawnEdit(t, a.Campaigns)
		to := now.AddDate(1, 0, 0)
		before, edited := slotted(a, now, to), a.Edited(next, now)
		after := slotted(&edited, now, to)
		d := campaigns.Difference(a, next, now)
		for _, c := range slices.Concat(d.Removals, d.Moves, d.Empty) {
			delete(before, c.Was.Slot.ID.String())
		}
		for _, c := range slices.Concat(d.Moves, d.Added, d.Others) {
			if id := c.Is.Slot.ID.String(); after[id] != "" {
				before[id] = after[id]
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("it %s (-told +done)\n%s", d.String(), diff)
		}
		if again := campaigns.Difference(&edited, next, now); again.Waits() || len(again.Added)+len(again.Empty)+len(again.Others) > 0 {
			t.Fatalf("once it is in force it still %s", again.String())
		}
		for _, m := range d.Moves {
			if m.Was.Slot.ID.Day != m.Is.Slot.ID.Day {
				t.Fatalf("%s is moved to %s", m.Was.Slot.ID, m.Is.Slot.ID)
			}
		}
	})
}

// drawnEdit is a folder after somebody has edited some of its campaigns, renamed, removed or added one.
func drawnEdit(t *rapid.T, all []*campaigns.Campaign) (next []*campaigns.Campaign) {
	for _, c := range all {
		raw := *c
		switch rapid.IntRange(0, 7).Draw(t, "edit") {
		case 0:
			continue
		case 1:
			raw.ID += "x"
		case 2:
			raw.Lines = drawnLines(t)
		case 3:
			raw.Items = drawnItems(t, raw.Do)
		case 4:
			raw.Jitter, raw.Status = spans(t, "jitter", 0, time.Hour), campaigns.Live
		case 5:
			raw = drawnCampaign(t, raw.ID)
		default:
		}
		raw.Lines = slices.DeleteFunc(slices.Clone(raw.Lines), func(l campaigns.Line) bool { return l.Own != "" })
		next = append(next, ready(t, raw))
	}
	if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
		next = append(next, ready(t, drawnCampaign(t, strings.Repeat("z", 1+len(all)))))
	}
	return next
}
