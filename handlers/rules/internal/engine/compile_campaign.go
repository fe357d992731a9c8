package engine

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
)

// Campaigns returns the campaigns of the files as handlers/campaigns plans them, in the order of the files; Campaign.Account is "" for
// those that name none. The problems say what cannot be planned; such a campaign is left out.
func (v *Version) Campaigns() ([]*campaigns.Campaign, text.Problems) {
	return v.campaigns(func(*campaigns.Campaign) bool { return true })
}

// CampaignsOf returns the campaigns of an account, as Campaigns does: those that name it and, where it is not known that other
// accounts act by the same files, those that name none. Their Campaign.Account is the account.
func (v *Version) CampaignsOf(account event.Account) ([]*campaigns.Campaign, text.Problems) {
	return v.campaigns(func(c *campaigns.Campaign) bool {
		ours := c.Account == account || c.Account == "" && len(v.Folder.Around.Accounts) < 2 //mutate:campaign-of-account
		c.Account = account
		return ours
	})
}

func (v *Version) campaigns(wanted func(*campaigns.Campaign) bool) ([]*campaigns.Campaign, text.Problems) {
	var all []*campaigns.Campaign
	var problems text.Problems
	for _, f := range v.Folder.Files {
		for i := range f.Campaigns {
			camp := &f.Campaigns[i]
			to, wrong := camp.ToCampaign(f, v.Folder.ZoneOf(f))
			if !wanted(&to) {
				continue
			}
			if len(wrong) == 0 {
				ready, err := campaigns.New(to)
				if err == nil {
					all = append(all, ready)
					continue
				}
				wrong = text.Problems{camp.Problem("%s", err)}
			}
			problems = append(problems, wrong...)
		}
	}
	return all, problems
}

// Budget returns how much each account publishes at most; false when the files do not say so: then campaigns.DefaultBudget, which it
// returns, holds for accounts that have campaigns.
func (v *Version) Budget() (campaigns.Budget, bool) { return v.Folder.Budget() }

// AppliesAtOnce reports whether an edit of campaigns takes effect when it is saved, also where it removes or moves slots.
func (v *Version) AppliesAtOnce() bool { return v.Folder.Settings.Apply == grammar.AtOnce }
