package campaigns

import (
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Accounts returns the accounts that have campaigns.
func (p *Plugin) Accounts() []event.Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.files))
}

// UseWithin is Use with a budget, as rule files say one.
func (p *Plugin) UseWithin(budget campaigns.Budget, account event.Account, all []*campaigns.Campaign) error {
	return p.useCampaigns(account, all, budgeted(budget))
}
