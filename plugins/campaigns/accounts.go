package campaigns

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Accounts come and go while the bot runs. What is kept of their campaigns is in the store, and stays there.

// SetAccounts says which accounts the bot has, or is about to have, in the place of those before; call it again once it has
// them. Campaigns of an account that comes are to be in force before, with Use or InForce, and Publishing says what limits it from
// its first action on. Of an account that has gone nothing is left: no campaign moves from it, or waits for it.
func (p *Plugin) SetAccounts(accounts ...event.Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cfg.Accounts = slices.Clone(accounts)
	gone := func(account event.Account) bool { return !slices.Contains(accounts, account) }
	maps.DeleteFunc(p.files, func(account event.Account, _ files) bool { return gone(account) })
	maps.DeleteFunc(p.seen, func(account event.Account, _ []*snapshot) bool { return gone(account) })
	maps.DeleteFunc(p.most, func(account event.Account, _ *bot.Publishing) bool { return gone(account) })
	maps.DeleteFunc(p.fallen, func(account event.Account, _ map[string]error) bool { return gone(account) })
	p.limitAllLocked()
}

// Publishing returns what limits what an account publishes; nil for nothing. It is for bot.Account.
func (p *Plugin) Publishing(account event.Account) *bot.Publishing {
	p.mu.Lock()
	is, f := p.most[account], p.files[account]
	p.mu.Unlock()
	if is == nil {
		return nil
	}
	now := *is
	now.Ahead = p.aheadAtStart(account, &f) // others may have served it meanwhile
	return &now
}

// knownAccounts returns those that the bot has, not to be changed.
func (p *Plugin) knownAccounts() []event.Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cfg.Accounts
}

// isAwaited reports whether an error only says that the bot does not have an account yet: what it is told comes with its start.
func (p *Plugin) isAwaited(account event.Account, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.awaitedLocked(account, err)
}

// awaitedLocked is awaits.
func (p *Plugin) awaitedLocked(account event.Account, err error) bool {
	return errors.Is(err, bot.ErrNotServed) && slices.Contains(p.cfg.Accounts, account)
}

// What an account with campaigns publishes is limited, by the bot or by hand: the bot counts, and keeps the distance. So it is where
// the settings say how much, campaigns or not.

// limiter puts limits of publishing in force; a bot.Bot is one.
type limiter interface {
	LimitPublishing(account event.Account, p *bot.Publishing) error
}

// limitPublishing puts in force what the files of an account say of publishing, or would by default, where they say it or the account has
// campaigns. ahead is when slots are to publish.
func (p *Plugin) limitPublishing(account event.Account, f *files, has bool, ahead []time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var is *bot.Publishing
	if has || f.limits { //mutate:publishing-nobody
		is = &bot.Publishing{Most: f.budget.Most.Max, Within: f.budget.Most.Per, Apart: f.budget.Apart, For: group + "/", Ahead: ahead}
		if f.budget.Split {
			is.Others = &f.budget.ForRules
		}
	}
	if reflect.DeepEqual(p.most[account], is) {
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
