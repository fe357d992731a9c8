package rules

import (
	"net/url"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
)

// Option says something of the bot that files are checked for.
type Option func(*around)

// around is what is known of the bot that acts by files.
type around struct {
	accounts []event.Account // nil: not known
	host     string          // of the platform; "": not known
}

// ForAccounts names the accounts that act by the files: a campaign has to name its own where there are several, and no other
// one. Without it, or with none, any account may stand there.
func ForAccounts(accounts ...event.Account) Option {
	return func(a *around) {
		a.accounts = accounts //mutate:check-for
	}
}

// OnPlatform says at which address the platform has its API. Links of campaigns are expected to lead to the same place.
func OnPlatform(address string) Option {
	return func(a *around) {
		if u, err := url.Parse(address); err == nil {
			a.host = strings.ToLower(u.Hostname())
		}
	}
}

func aroundOf(options []Option) (a around) {
	for _, o := range options {
		o(&a)
	}
	return a
}
