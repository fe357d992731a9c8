package rules

import (
	"net/url"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// Option says something of the bot that files are checked for.
type Option struct{ tell func(*grammar.Around) }

// ForAccounts names the accounts that act by the files: a campaign has to name its own where there are several, and no other
// one. Without it, or with none, any account may stand there.
func ForAccounts(accounts ...event.Account) Option {
	return Option{func(a *grammar.Around) {
		a.Accounts = accounts //mutate:check-for
	}}
}

// OnPlatform says at which address the platform has its API. A link of a campaign to another site is then hinted at.
func OnPlatform(address string) Option {
	return Option{func(a *grammar.Around) {
		if u, err := url.Parse(address); err == nil {
			a.Host = strings.ToLower(u.Hostname())
		}
	}}
}

func aroundOf(options []Option) (a grammar.Around) {
	for _, o := range options {
		o.tell(&a)
	}
	return a
}

// FlowPrefix begins the names of the flows that conversations of rule files are.
const FlowPrefix = engine.FlowPrefix
