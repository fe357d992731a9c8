package campaigns_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// reference is the reference campaign as it is written, about the posts that there are.
func (f *filed) reference() string {
	f.t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "handlers", "rules", "testdata", "reference", "40-spring-reposts.yaml"))
	if err != nil {
		f.t.Fatal(err)
	}
	var links []string
	for i, link := range []string{"48121", "48207", "48260"} {
		links = append(links, "thread/"+link, fmt.Sprintf("thread/%d", f.posts[i]))
	}
	return strings.NewReplacer(links...).Replace(string(file))
}

// slotLine says what a slot publishes, and when; what is found at run time has no post in a plan.
func slotLine(id campaigns.SlotID, minute, at time.Time, item string, renew bool) string {
	return fmt.Sprintf("%s of %s at %s: %s %v", id, minute.UTC().Format(time.DateTime), at.UTC().Format(time.DateTime), item, renew)
}

// The reference campaign runs from the day before its first one to the day after its last one, over the change of the clocks, with
// every approval given: its book is the plan of the first day, to the minute, and so is what the platform saw.
func TestReferenceCampaign(t *testing.T) {
	t.Parallel()
	if effort.Few() {
		t.Skip("three weeks take long: NECTAR_TEST=all has them; TestPlanIsWhatHappens has two days")
	}
	inFilesFrom(t, time.Date(2027, time.March, 7, 17, 0, 0, 0, time.UTC), 6*time.Hour, nil, func(f *filed) {
		f.write("40-spring-reposts.yaml", f.reference())
	}, func(f *filed) {
		first := f.stored().Account
		first.AccountFacts.Budget = campaigns.DefaultBudget
		var planned, leaves []string
		for v := range campaigns.Plan(&first, time.Now(), time.Now(), time.Now().AddDate(0, 2, 0)) {
			if !v.Kind.Publishes() {
				t.Errorf("the plan leaves %s empty: %s", v.Slot.ID, v.Why)
				continue
			}
			planned = append(planned, slotLine(v.Slot.ID, v.Slot.Minute, v.At, v.Item.Key, v.Renew))
			leaves = append(leaves, v.At.UTC().Format("01-02 15:04 ")+map[bool]string{false: "repost", true: "renew"}[v.Renew])
		}
		for at := time.Now(); at.Before(spring.AddDate(0, 0, 15)); at = at.Add(12 * time.Hour) {
			f.Platform().Post(f.author, "fresh #springmenu")
			f.Advance(12 * time.Hour)
			f.approve()
		}
		var happened []string
		for _, b := range f.slots("spring-menu") {
			if b.Kind != campaigns.Go || !b.Done {
				t.Errorf("%s: %s %s %s", b.Slot, b.Kind, b.Said, b.Failed)
			}
			happened = append(happened, slotLine(b.Slot, b.Minute, b.At, b.Item, b.Renew))
		}
		if diff := cmp.Diff(planned, happened); diff != "" || len(planned) != 8 {
			t.Errorf("%d planned (-plan +book)\n%s\n%s", len(planned), diff, f.told())
		}
		if diff := cmp.Diff(leaves, f.seen()); diff != "" {
			t.Errorf("(-plan +platform)\n%s", diff)
		}
		f.ended(0, "")
		f.counts(1, "is over: 8 published, 0 skipped")
	})
}

// slots is the book of a campaign.
func (d *market) slots(id string) (all []plugin.Booked) {
	d.t.Helper()
	d.Inspect(func(market inspect.Inspector) {
		var err error
		if all, err = plugin.ReadBook(context.Background(), market, "bot", id, "", 1000); err != nil {
			d.t.Fatal(err)
		}
	})
	return all
}

// seen is what the platform saw: first reposts, and renewals, of which both halves are within a minute.
func (d *market) seen() []string {
	var all []string
	lines := d.happened()
	for i, line := range lines {
		at, what, _ := strings.Cut(line[len("01-02 "):], " ")
		minute := line[:len("01-02 ")] + at + " "
		switch what, _, _ := strings.Cut(what, " "); {
		case what == "undo":
		case i > 0 && strings.Contains(lines[i-1], " undo "):
			if !slices.Equal(strings.Fields(line)[3:], strings.Fields(lines[i-1])[3:]) || !strings.HasPrefix(lines[i-1], minute) {
				d.t.Errorf("%s, and then %s", lines[i-1], line)
			}
			all = append(all, minute+"renew")
		default:
			all = append(all, minute+what)
		}
	}
	return all
}
