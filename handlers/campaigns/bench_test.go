package campaigns_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// many are campaigns of one account, each with two or three slots a week and five posts.
func many(tb testing.TB, n int) *campaigns.Account {
	tb.Helper()
	var cs []*campaigns.Campaign
	zones := []string{"America/New_York", "Europe/Lisbon", "Asia/Tokyo", "America/Santiago"}
	for i := range n {
		c := campaigns.Campaign{
			ID: fmt.Sprintf("campaign-%04d", i), Do: campaigns.Repost, Status: campaigns.Live, Zone: zone(tb, zones[i%len(zones)]),
			Items: posts(10*i+1, 10*i+2, 10*i+3, 10*i+4, 10*i+5), Turn: []campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}[i%3],
			Renews: true, Gap: 7 * day, Jitter: 12 * time.Minute, Total: text.Limit{Max: 3, Per: day}, Missed: campaigns.Missed{What: campaigns.SkipMissed},
		}
		days := []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
		for k := range 2 + i%2 {
			c.Lines = append(c.Lines, lines(tb, fmt.Sprintf("%s %02d:%02d", days[(i+2*k)%7], (i*7+k*5)%24, (i*13)%60))...)
		}
		cs = append(cs, ready(tb, c))
	}
	return account(at(tb, "2027-01-01 00:00"), cs...)
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("campaigns=%d/a-year", n), func(b *testing.B) {
			a := many(b, n)
			now := at(b, "2027-01-01 00:00")
			b.ReportAllocs()
			slots, gone := 0, 0
			for b.Loop() {
				slots, gone = 0, 0
				for v := range campaigns.Plan(a, now, now, now.AddDate(1, 0, 0)) {
					if slots++; v.Kind.Publishes() {
						gone++
					}
				}
			}
			b.ReportMetric(float64(slots), "slots")
			b.ReportMetric(float64(gone), "published")
			if slots > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(slots), "ns/slot")
			}
		})
	}
}

// What an edit of one of ten campaigns changes within a year.
func BenchmarkDifference(b *testing.B) {
	a := many(b, 10)
	now := at(b, "2027-01-01 00:00")
	c := *a.Campaigns[4]
	c.Lines = lines(b, "Wed 10:15", "Fri 18:40")
	next := append(slices.Clone(a.Campaigns[:4]), ready(b, c))
	next = append(next, a.Campaigns[5:]...)
	b.ReportAllocs()
	for b.Loop() {
		if d := campaigns.Difference(a, next, now); !d.Waits() {
			b.Fatal("it changes nothing")
		}
	}
}
