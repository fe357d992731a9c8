package campaigns_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// What an account publishes is in force before it comes; one that nobody has announced is an error.
func TestCampaignsOfAnAccountThatComes(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 3, menu, func(d *market) {
		cafe := menu(d)
		cafe.Account = "cafe"
		all := []*campaigns.Campaign{d.ready(cafe)}
		if err := d.plugin.Use("cafe", all); !errors.Is(err, bot.ErrNotServed) {
			t.Errorf("of an account that nobody knows: %v", err)
		}
		d.plugin.SetAccounts("bot", "cafe")
		if err := d.plugin.Use("cafe", all); err != nil {
			t.Errorf("of an account that comes: %v", err)
		}
		edited := cafe
		edited.Items = edited.Items[:2]
		if err := d.plugin.Use("cafe", []*campaigns.Campaign{d.ready(edited)}); err != nil {
			t.Errorf("edited before it came: %v", err)
		}
		if limit := d.plugin.Publishing("cafe"); limit == nil || limit.Most != campaigns.DefaultBudget.Most.Max {
			t.Errorf("what it publishes is limited by %+v", limit)
		}
		d.AddAccount("cafe")
		d.plugin.SetAccounts("bot", "cafe")
		f := &filed{market: *d}
		f.until("03-13 13:00")
		if got := f.by("cafe"); !slices.Equal(got, d.posts[:2]) {
			t.Errorf("the account that has come has reposted %v, want %v", got, d.posts[:2])
		}
		d.RemoveAccount("cafe")
		d.plugin.SetAccounts("bot")
		if slices.Contains(d.plugin.Accounts(), "cafe") || d.plugin.Publishing("cafe") != nil {
			t.Error("something is left of an account that has gone")
		}
		f.until("03-14 20:00")
		if got := f.by("bot"); len(got) != 3 {
			t.Errorf("the other one has reposted %v, want three posts", got)
		}
	}, func(c *bottest.Config) { c.Accounts = []event.Account{"bot"} })
}

// A campaign that moves away from an account which has gone begins at once: nobody is left who could end it there.
func TestCampaignMovesFromAnAccountThatHasGone(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	accounts := []event.Account{"bot", "cafe"}
	inFiles(t, accounts, func(f *filed) {
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "do: repost", "do: repost\n    account: cafe", 1))
	}, func(f *filed) {
		f.until("03-13 08:00")
		f.RemoveAccount("cafe")
		f.plugin.SetAccounts("bot")
		f.write("50-menu.yaml", strings.Replace(f.menuFile(), "do: repost", "do: repost\n    account: bot", 1))
		f.Advance(5 * time.Minute)
		f.until("03-13 13:00")
		if got := f.by("bot"); !slices.Equal(got, f.posts[:2]) {
			t.Errorf("the account that is left has reposted %v, want %v", got, f.posts[:2])
		}
	})
}
