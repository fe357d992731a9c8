package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/survey"
	"github.com/nectar-bot/nectar/handlers/text"
)

// What is counted is what the plan decides, slot by slot.
func TestSurvey(t *testing.T) {
	t.Parallel()
	day1 := text.Day{Year: 2027, Month: time.March, Day: 1}
	long := func(id string, ends text.Day, apart time.Duration, written ...string) *campaigns.Campaign {
		return ready(t, campaigns.Campaign{
			ID: id, Do: campaigns.Repost, Status: campaigns.Live, Zone: zone(t, "America/New_York"), Starts: day1, Ends: ends,
			Items: posts(1, 2, 3), Renews: true, Gap: 2 * day, Jitter: 30 * time.Minute, KeepApart: apart, Lines: lines(t, written...),
			Total: text.Limit{Max: 2, Per: day}, Missed: campaigns.Missed{What: campaigns.SkipMissed},
		})
	}
	all := []*campaigns.Campaign{
		long("a", text.Day{Year: 2027, Month: time.June, Day: 30}, time.Hour, "Tue 09:30", "Tue 10:15", "Thu 12:00"),
		long("b", text.Day{}, 0, "Tue 10:00", "Sun 02:30"),
	}
	found := survey.PlanOutlooks(all, campaigns.DefaultBudget, 100_000)
	want := map[string]survey.Outlook{"a": {}, "b": {}}
	from := at(t, "2027-02-27 00:00")
	for v := range campaigns.Plan(&campaigns.Account{Campaigns: all, AccountFacts: campaigns.AccountFacts{Budget: campaigns.DefaultBudget}}, from, from, from.AddDate(1, 0, 3)) {
		o := want[v.Slot.ID.Campaign]
		if o.Slots++; v.Kind.Publishes() {
			o.Filled++
		}
		want[v.Slot.ID.Campaign] = o
	}
	for _, o := range found {
		w := want[o.Campaign.ID]
		sum := survey.LineOutlook{}
		empty := 0
		for _, l := range o.Lines {
			sum.Slots, sum.Filled = sum.Slots+l.Slots, sum.Filled+l.Filled
			for _, e := range l.Empty {
				empty += e.N
			}
		}
		for _, e := range o.Empty {
			empty += e.N
		}
		times := 0
		for _, n := range o.Items {
			times += n
		}
		if o.Slots != w.Slots || o.Filled != w.Filled || o.Slots != sum.Slots || o.Filled != sum.Filled || times != o.Filled || empty != o.Slots-o.Filled || o.Cut {
			t.Errorf("%s: %+v, the plan has %d slots, %d filled", o.Campaign.ID, o, w.Slots, w.Filled)
		}
		if o.Filled == 0 || o.Filled == o.Slots {
			t.Errorf("%s shows nothing", o.Campaign.ID)
		}
	}
	for _, o := range survey.PlanOutlooks(all, campaigns.DefaultBudget, 10) {
		if !o.Cut {
			t.Errorf("%s was looked at to its end", o.Campaign.ID)
		}
	}
}
