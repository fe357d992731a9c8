package bot

import (
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

// Standing is how an account stands.
type Standing struct {
	Account event.Account
	Session session.State
	Stopped bool // nothing of it leaves, since another bot answers on it; see Rivalry
}

// Standing returns how the accounts stand, in the order of the configuration. It asks nobody, and may be called at any
// time.
func (b *Bot) Standing() []Standing {
	accounts := b.accounts.all()
	all := make([]Standing, len(accounts))
	for i, a := range accounts {
		all[i] = Standing{Account: a.name, Session: a.broker.State(), Stopped: a.isStopped()}
	}
	return all
}
