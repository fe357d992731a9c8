package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// A campaign that several accounts have comes on each at the same minute of the wall, with the same jitter, and as far behind as it is to be: same posts, same
// order.
func TestCampaignOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		behind := time.Duration(rapid.IntRange(1, 300).Draw(t, "behind")) * time.Minute
		jitter := time.Duration(rapid.IntRange(0, 24*60).Draw(t, "jitter")) * time.Minute
		turn := rapid.SampledFrom([]campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}).Draw(t, "turn")
		of := func(on string, behind time.Duration) map[string]campaigns.Verdict {
			c := daily(t, func(c *campaigns.Campaign) {
				c.ID, c.Of, c.Behind, c.Jitter, c.Turn, c.Gap = "daily@"+on, "daily", behind, jitter, turn, 0
			})
			all := map[string]campaigns.Verdict{}
			for v := range campaigns.Plan(account(start(t), c), start(t), time.Time{}, start(t).AddDate(0, 2, 0)) {
				all[v.Slot.ID.Day.String()] = v
			}
			return all
		}
		first, second := of("shop", 0), of("cafe", behind)
		for day, v := range second {
			was, there := first[day]
			if !there {
				continue // it comes behind the last day that is looked at
			}
			if got := v.Slot.Minute.Sub(was.Slot.Minute); got != behind || v.Item != nil && v.Item.Key != was.Item.Key || !v.Slot.At.Equal(was.Slot.At) {
				t.Fatalf("%s: %v behind, and not %v: %+v", v.Slot.ID, got, behind, v)
			}
			if id, err := campaigns.ParseSlotID(v.Slot.ID.String()); err != nil || id != v.Slot.ID {
				t.Fatalf("%s is read as %s: %v", v.Slot.ID, id, err)
			}
		}
		if len(second) < 50 {
			t.Fatalf("%d slots", len(second))
		}
	})
}
