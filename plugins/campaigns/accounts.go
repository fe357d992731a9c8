package campaigns

import (
	"errors"
	"maps"
	"slices"

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
	defer p.mu.Unlock()
	return p.most[account]
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
