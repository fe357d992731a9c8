package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// Posts are added and taken out in the middle of a round, of whatever order: nobody comes twice in a row as long as another may, and who
// has come in the round comes again after all of those that have not, and that stayed.
func TestRoundsOverEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		turn := rapid.SampledFrom([]campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}).Draw(t, "turn")
		all := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "posts")
		were := all[:rapid.IntRange(3, 6).Draw(t, "were")]
		stay := slices.DeleteFunc(slices.Clone(were), func(int) bool { return rapid.IntRange(0, 3).Draw(t, "goes") == 0 })
		come := all[len(were):rapid.IntRange(len(were), len(all)).Draw(t, "come")]
		are := slices.Concat(come, stay)
		if cut := rapid.IntRange(0, len(come)).Draw(t, "in front"); turn == campaigns.InOrder { // it is the order of the file
			are = slices.Concat(come[:cut], stay, come[cut:])
		}
		if len(are) < 2 {
			t.Skip("one post comes twice in a row")
		}
		before := rapid.IntRange(0, len(were)-1).Draw(t, "slots before") + len(were)*rapid.IntRange(0, 2).Draw(t, "rounds before")

		of := func(ids []int) *campaigns.Campaign {
			return daily(t, func(c *campaigns.Campaign) { c.Items, c.Turn = posts(ids...), turn })
		}
		a := account(start(t), of(were))
		r := run(t, a, start(t), time.Duration(before)*day)
		now := start(t).Add(time.Duration(before) * day)
		a.Campaigns[0] = of(are)
		a.Memories["daily"] = campaigns.Revise(a.Campaigns[0], stored(t, a.Memories["daily"]), now)
		var keys []string
		for _, v := range r.book {
			keys = append(keys, v.Item.Key)
		}
		had := slices.Clone(keys[len(keys)-before%len(were):]) // in this round
		var waits []string                                     // that stayed, and have not come in it
		for _, item := range a.Campaigns[0].Items {
			if slices.ContainsFunc(posts(stay...), func(i campaigns.Item) bool { return i.Key == item.Key }) && !slices.Contains(had, item.Key) {
				waits = append(waits, item.Key)
			}
		}
		for i, v := range plan(a, now, 2*len(are)) {
			if v.Item == nil {
				t.Fatalf("slot %d stays empty: %s", i, line(&v))
			}
			key := v.Item.Key
			if len(keys) > 0 && keys[len(keys)-1] == key {
				t.Fatalf("%s comes twice in a row, after %v", key, keys)
			}
			if slices.Contains(had, key) && len(waits) > 0 && (len(waits) > 1 || waits[0] != keys[len(keys)-1]) {
				t.Fatalf("%s comes again in its round, after %v, before %v", key, keys, waits)
			}
			waits = slices.DeleteFunc(waits, func(k string) bool { return k == key })
			keys = append(keys, key)
		}
	})
}
