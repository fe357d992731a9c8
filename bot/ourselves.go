package bot

import (
	"sync"

	"github.com/nectar-bot/nectar/platform"
)

// An account of a bot never answers another one of it: they would talk to each other for ever.

// self is who an account is on its platform.
type self struct {
	platform string // its base address
	id       platform.UserID
}

// enrol notes who the account is, once it has signed in.
func (a *account) enrol(selves *sync.Map) {
	if a.enrolled.Load() {
		return
	}
	if me := a.broker.State().User; me != 0 {
		selves.Store(self{a.cfg.BaseURL, me}, true)
		a.enrolled.Store(true)
	}
}

// ourselves leaves a turn unanswered whose peer is an account of this bot; false when the peer is
// somebody else, or not known yet.
func (b *Bot) ourselves(t *Turn) bool {
	key := t.Trigger.Key
	if _, ours := b.selves.Load(self{b.accounts[key.Account].cfg.BaseURL, key.Peer}); !ours {
		return false
	}
	t.trace.Outcome = OutcomeOurselves
	t.Note("the peer is an account of this bot")
	return true
}
