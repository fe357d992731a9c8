package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// The rules of a zone change between two starts: its clocks are an hour apart from what they were. What has happened does not happen
// again, what was approved is asked for anew at its other minute, and the slots after it are on the clock as it is now.
func TestZoneWhoseRulesChange(t *testing.T) {
	t.Parallel()
	was, is := time.FixedZone("America/New_York", -5*3600), time.FixedZone("America/New_York", -4*3600)
	in := func(zone *time.Location) *campaigns.Campaign {
		return daily(t, func(c *campaigns.Campaign) { c.Zone, c.Status, c.AtLeast = zone, campaigns.Ask, 30*time.Minute })
	}
	now := time.Date(2027, time.March, 1, 13, 0, 0, 0, time.UTC)
	a := account(now, in(was))
	first := plan(a, now, 1)[0]
	m := campaigns.Prepare(a.Memories["daily"], first, "", now)
	m = campaigns.Approve(m, first.Slot.ID, "Ana", true, now.Add(time.Minute))
	a.Memories["daily"] = stored(t, m)

	changed := account(now, in(is))
	changed.Memories["daily"] = campaigns.Revise(changed.Campaigns[0], stored(t, m), now.Add(time.Hour))
	v := plan(changed, now.Add(time.Hour), 1)[0]
	if v.Slot.ID != first.Slot.ID || v.Kind != campaigns.Asks || v.Approved || v.Void.Code != campaigns.OtherMinute || !v.At.Equal(first.At.Add(-time.Hour)) {
		t.Errorf("what was approved: %s, void %q, at %s", line(&v), v.Void.Code, v.At)
	}

	// It left at its minute; an hour was put in later.
	left, found := campaigns.Find(a, first.Slot.ID, seen(t, a), first.At)
	if !found || left.Kind != campaigns.Go {
		t.Fatalf("%s", line(&left))
	}
	m, u := campaigns.Take(a.Campaigns[0], a.Memories["daily"], a.Uses, left)
	changed.Memories["daily"], changed.Uses = campaigns.Revise(changed.Campaigns[0], stored(t, m), first.At.Add(time.Minute)), u
	all := plan(changed, first.At.Add(time.Minute), 1)
	if len(all) != 1 || all[0].Slot.ID == first.Slot.ID || all[0].Slot.Minute.In(is).Hour() != 12 {
		t.Errorf("afterwards\n%s", show(all))
	}
}

// seen are facts of posts that are not reposted.
func seen(tb testing.TB, a *campaigns.Account) *campaigns.Facts {
	tb.Helper()
	f := &campaigns.Facts{Posts: map[platform.PostID]campaigns.PostFact{}, Found: map[string]campaigns.FoundFact{}}
	for _, c := range a.Campaigns {
		for i := range c.Items {
			f.Posts[c.Items[i].Post] = campaigns.PostFact{Reposted: campaigns.No}
		}
	}
	return f
}
