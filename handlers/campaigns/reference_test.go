package campaigns_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// spring is a campaign with nearly everything, over the change of clocks in New York.
func spring(tb testing.TB) *campaigns.Campaign {
	tb.Helper()
	items := posts(48121, 48207, 48260)
	items[1].NotBefore = date(tb, "2027-03-15")
	items = append(items, campaigns.Item{
		Key: campaigns.FoundKey("@partner_cafe", "#springmenu"), From: "@partner_cafe", Tag: "#springmenu", NewerThan: 3 * day, Status: campaigns.Ask,
	})
	return ready(tb, campaigns.Campaign{
		ID: "spring-menu", Name: "Spring menu, New York", Account: "main", Do: campaigns.Repost, Status: campaigns.Ask,
		Zone: zone(tb, "America/New_York"), Starts: date(tb, "2027-03-08"), Ends: date(tb, "2027-03-26"),
		Items: items, Lines: lines(tb, "Tue 09:30", "Thu 17:45", "Sat 11:00"), Jitter: 12 * time.Minute,
		Turn: campaigns.InOrder, Each: 3, Gap: 4 * day, Renews: true,
		Total: text.Limit{Max: 2, Per: day}, Whole: 10, KeepApart: 90 * time.Minute,
		Missed: campaigns.Missed{What: campaigns.SkipMissed}, Team: "marketing", AtLeast: 2 * time.Hour,
		Stop: campaigns.Stop{Deleted: true, Replies: true, Warnings: true},
	})
}

// The plan of the reference campaign, as it is on the day before it begins.
func TestPlanOfSpring(t *testing.T) {
	t.Parallel()
	now := at(t, "2027-03-07 12:00")
	a := account(now, spring(t))
	a.AccountFacts.Budget = campaigns.DefaultBudget
	var b strings.Builder
	for v := range campaigns.Plan(a, now, now, now.AddDate(0, 1, 0)) {
		fmt.Fprintf(&b, "%s %s\n  leaves   %s … %s, %s\n  asked    %s, until %s\n", v.Slot.ID, line(&v),
			v.At.Format("Mon 02 Jan 15:04"), v.Until.Format("15:04"), v.At.UTC().Format("15:04 MST"), v.Ask.Format("Mon 02 Jan 15:04"), v.Deadline.Format("Mon 15:04"))
		for _, o := range v.Others {
			fmt.Fprintf(&b, "  passed   %s: %s\n", o.Item.Name(), o.Why)
		}
	}
	golden(t, "spring.txt", b.String())
}

// golden compares with a file of testdata, or writes it with -update.
func golden(tb testing.TB, name, got string) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		tb.Errorf("%s (-want +have)\n%s", path, diff)
	}
}
