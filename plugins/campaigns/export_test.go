package campaigns

import (
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
)

// Accounts returns the accounts that have campaigns.
func (p *Plugin) Accounts() []event.Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.files))
}
