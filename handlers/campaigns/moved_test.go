package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// A slot that a person has given another minute comes once, at that minute; all others come at their own, in the order of their minutes.
func TestMovedSlotsComeOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := daily(t, func(c *campaigns.Campaign) {
			c.Jitter = time.Duration(rapid.IntRange(0, 90).Draw(t, "jitter")) * time.Minute
			c.Gap, c.Each = 0, 0
		})
		slots := func(a *campaigns.Account) map[campaigns.SlotID]time.Time {
			all, last := map[campaigns.SlotID]time.Time{}, time.Time{}
			for v := range campaigns.Plan(a, start(t), time.Time{}, start(t).AddDate(0, 4, 0)) {
				if _, twice := all[v.Slot.ID]; twice || v.Slot.Minute.Before(last) {
					t.Fatalf("%s comes at %s, behind %s", v.Slot.ID, v.Slot.Minute, last)
				}
				all[v.Slot.ID], last = v.Slot.Minute, v.Slot.Minute
			}
			return all
		}
		a := account(start(t), c)
		want := slots(a)
		ids := slices.SortedFunc(func(yield func(campaigns.SlotID) bool) {
			for id := range want {
				if !yield(id) {
					return
				}
			}
		}, func(x, y campaigns.SlotID) int { return want[x].Compare(want[y]) })
		m := a.Memories["daily"]
		m.Rescheduled = map[campaigns.SlotID]campaigns.Reschedule{}
		for range rapid.IntRange(0, 8).Draw(t, "moves") {
			id := rapid.SampledFrom(ids).Draw(t, "slot")
			to := start(t).Add(time.Duration(rapid.IntRange(1, 90*24*60).Draw(t, "minute")) * time.Minute)
			m.Rescheduled[id], want[id] = campaigns.Reschedule{To: to}, to
		}
		a.Memories["daily"] = m
		got := slots(a)
		if len(got) != len(want) {
			t.Fatalf("%d slots come, and not %d", len(got), len(want))
		}
		for id, at := range want {
			if !got[id].Equal(at) {
				t.Errorf("%s comes at %s, and not at %s", id, got[id], at)
			}
			if v, there := campaigns.Find(a, id, nil, start(t)); !there || !v.Slot.Minute.Equal(at) {
				t.Errorf("%s is found at %s, and not at %s", id, v.Slot.Minute, at)
			}
		}
	})
}
