package campaigns

import (
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// What an account with campaigns publishes is limited, whoever decides it: the bot counts, and keeps the distance. So it is where
// the settings say how much, campaigns or not.

// limiter puts limits of publishing in force; a bot.Bot is one.
type limiter interface {
	LimitPublishing(account event.Account, p *bot.Publishing) error
}

// limitPublishing puts in force what the files of an account say of publishing, or would by default, where they say it or the account has
// campaigns.
func (p *Plugin) limitPublishing(account event.Account, f *files, has bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var is *bot.Publishing
	if has || f.limits { //mutate:publishing-nobody
		is = &bot.Publishing{Most: f.budget.Most.Max, Within: f.budget.Most.Per, Apart: f.budget.Apart}
	}
	if before := p.most[account]; before == is || before != nil && is != nil && *before == *is {
		return
	}
	p.most[account] = is
	p.limitOfLocked(account)
}

// limitAllLocked puts all limits in force, once there is a bot.
func (p *Plugin) limitAllLocked() {
	for account := range p.most {
		p.limitOfLocked(account)
	}
}

// limitOfLocked puts the limit of an account in force.
func (p *Plugin) limitOfLocked(account event.Account) {
	to, can := p.bot.(limiter)
	if !can {
		return
	}
	if err := to.LimitPublishing(account, p.most[account]); err != nil && !p.awaitedLocked(account, err) {
		p.cfg.Log.Error("what an account publishes cannot be limited", "account", account, "err", err)
	}
}
