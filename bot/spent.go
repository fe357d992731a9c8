package bot

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/outbox"
	"github.com/nectar-bot/nectar/bot/store"
)

// spentFact is the name under which it is known how much of its pace an account has used up.
const spentFact = "spent"

// keepSpent lets the next term know how much of its pace the account has used up. Without that, each change of hands, and each
// restart, would grant a fresh burst, and what the platform asked for would be forgotten.
func (a *account) keepSpent() {
	now := time.Now()
	spent, some := a.box.Spent(now)
	if !some || !a.atWork.Load() {
		return
	}
	value, err := json.Marshal(spent)
	if err != nil {
		return // a number that is none; nothing worse comes of it than a burst
	}
	//mutate:spent-kept
	a.bot.store.Commit(store.Write{Known: &store.Known{Account: a.name, Fact: event.Fact{Name: spentFact, Value: value, ReadAt: now}}, Done: func(store.Receipt) {}})
}

// inherit takes up how much of its pace the account has used up in its last term. After a crash nobody knows.
func (a *account) inherit(ctx context.Context) error {
	f, ok, err := a.bot.store.Known(ctx, a.name, spentFact)
	if err != nil || !ok {
		return err
	}
	var spent outbox.Spent
	if err := json.Unmarshal(f.Value, &spent); err != nil {
		a.bot.log.Warn("what the account has used up of its pace cannot be read; it begins anew", "account", a.name, "err", err)
		return nil
	}
	a.box.Inherit(spent)
	return nil
}
