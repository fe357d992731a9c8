package campaigns_test

import (
	"testing"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// The bot goes by the number of a post alone: on another platform another post has it.
func TestLinksOfAnotherPlatform(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ link, address, want string }{
		{"social.example", "https://social.example/thread/1", "go 1"},
		{"social.example", "https://m.social.example/thread/1", "go 1"},
		{"social.example", "https://elsewhere.example/thread/1", "go 2"},
		{"social.example", "http://10.0.0.7/thread/1", "go 1"}, // what says nothing of a platform is no other one
		{"social.example", "http://emulator.localhost/thread/1", "go 1"},
		{"social.example", "", "go 1"},
		{"", "https://elsewhere.example/thread/1", "go 1"},
	} {
		a, id := asked(t, func(c *campaigns.Campaign) { c.Status, c.Items[0].Platform = campaigns.Live, tc.link })
		v := found(t, a, id, "2027-03-01 12:00", func(all map[platform.PostID]campaigns.PostFact) {
			all[1] = campaigns.PostFact{Reposted: campaigns.No, Address: tc.address}
		})
		if got := string(v.Kind) + " " + v.Item.Name(); got != tc.want {
			t.Errorf("a link to %q and a post of %q: have %s, want %s", tc.link, tc.address, got, tc.want)
		}
		for _, o := range v.Others {
			const want = "its link leads to another platform than this account's posts, which are on elsewhere.example: open the post there and copy its address"
			if o.Why.Code != campaigns.OtherPlatform || o.Why.String() != want {
				t.Errorf("why not %s: %s", o.Item.Name(), o.Why)
			}
		}
	}
}
