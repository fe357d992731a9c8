package campaigns

import (
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// InForce takes the campaigns of rule files that come into force for an account: those that name it, and where the bot has no
// other account those that name none. It is for autoresponder.Config.
func (p *Plugin) InForce(account event.Account, v *rules.Version) {
	accounts := []event.Account{account}
	if account == "" { // all
		accounts = p.cfg.Accounts
	}
	all, problems := v.Campaigns()
	p.tellRefused(v.Hash(), all, problems)
	for _, account := range accounts {
		own := slices.DeleteFunc(slices.Clone(all), func(c *campaigns.Campaign) bool {
			return p.refuses(c) != "" || c.Account != "" && c.Account != account
		})
		if err := p.Use(account, own); err != nil {
			p.cfg.Log.Error("campaigns are not looked at before something is due", "account", account, "err", err)
		}
	}
}

// tellRefused says which campaigns of a version no account runs, once for all its accounts.
func (p *Plugin) tellRefused(version string, all []*campaigns.Campaign, problems text.Problems) {
	p.mu.Lock()
	known := p.told == version
	p.told = version
	p.mu.Unlock()
	if known {
		return
	}
	for _, problem := range problems {
		p.cfg.Log.Warn("a campaign is not run", "file", problem.File, "line", problem.Line, "problem", problem.Text)
	}
	for _, c := range all {
		if why := p.refuses(c); why != "" {
			p.cfg.Log.Warn("a campaign is not run", "campaign", c.ID, "problem", why)
		}
	}
}

// refuses says why no account of the bot runs a campaign; "" when one does.
func (p *Plugin) refuses(c *campaigns.Campaign) string {
	switch known := slices.Contains(p.cfg.Accounts, c.Account); {
	case c.Account == "" && len(p.cfg.Accounts) > 1:
		return fmt.Sprintf("it must say for which account it is: account: %s", p.cfg.Accounts[0])
	case c.Account != "" && !known:
		return fmt.Sprintf("account: this bot has no %q, it has %s", c.Account, listed(p.cfg.Accounts))
	}
	return ""
}
