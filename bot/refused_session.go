package bot

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform/session"
)

// refusalFact is the name under which it is known that an account's credentials were refused.
const refusalFact = "refused"

// keepRefusal lets other workers know that the account's credentials were refused: each of them that tries at once brings the account
// closer to being locked. A process that is alone on its database is started by somebody who may have put things right.
func (a *account) keepRefusal(r session.Refusal) {
	if !a.bot.leased.Load() {
		return
	}
	value, err := json.Marshal(r)
	if err != nil {
		return // a text, a time and a number always encode
	}
	//mutate:refusal-kept
	a.bot.store.Commit(store.Write{Known: &store.Known{Account: a.name, Fact: event.Fact{Name: refusalFact, Value: value, ReadAt: time.Now()}}, Done: func(store.Receipt) {}})
}

// waitOutRefusal takes up what another worker has met.
func (a *account) waitOutRefusal(ctx context.Context) error {
	if !a.bot.leased.Load() {
		return nil
	}
	f, ok, err := a.bot.store.Known(ctx, a.name, refusalFact)
	if err != nil || !ok {
		return err
	}
	var r session.Refusal
	if json.Unmarshal(f.Value, &r) == nil { // or it is asked for once more
		a.broker.Heed(r)
	}
	return nil
}
