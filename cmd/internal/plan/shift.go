package plan

import (
	"context"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// leavingCampaigns returns the campaigns that an edit takes from an account, which runs them as long as it waits, by their ids. Another one that
// the files give them to begins when it waits no more.
func (p *Planner) leavingCampaigns(ctx context.Context) (map[string]event.Account, error) {
	if p.leaving != nil || p.View == nil || len(p.Meant) < 2 {
		return p.leaving, nil
	}
	leaving := map[string]event.Account{}
	those, err := p.AmongMeant(ctx, plugin.Having())
	if err != nil {
		return nil, err
	}
	for _, account := range those {
		s, err := plugin.Read(ctx, p.Inspector, account)
		if err != nil {
			return nil, err
		}
		for _, c := range s.Campaigns {
			if s.Waiting != nil && s.Waiting.Files[c.ID] == "" {
				leaving[c.ID] = account
			}
		}
	}
	p.leaving = leaving
	return leaving, nil
}

// comesFrom returns the account that still runs one of the campaigns that are wanted here, and are not in force; "" for none.
func (a *Account) comesFrom(next []*campaigns.Campaign, leaving map[string]event.Account) event.Account {
	for _, c := range next {
		if from := leaving[c.ID]; from != "" && from != a.Name && a.CampaignByID(c.ID) == nil {
			return from
		}
	}
	return ""
}

// stayingCampaigns leaves out what another account still runs.
func (a *Account) stayingCampaigns(written []*campaigns.Campaign, leaving map[string]event.Account) []*campaigns.Campaign {
	return slices.DeleteFunc(slices.Clone(written), func(c *campaigns.Campaign) bool {
		return a.comesFrom([]*campaigns.Campaign{c}, leaving) != ""
	})
}
