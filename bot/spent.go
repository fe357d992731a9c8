package bot

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// spentFact is the name under which it is known how much of its pace an account has used up.
const spentFact = "spent"

// spentNote is what is known of it.
type spentNote struct {
	outbox.Spent
	// Open: a term has begun with it that has not ended. Only where workers share a database: of one that died nobody knows what it has
	// used up since.
	Open bool `json:"open,omitempty"`
}

// keepSpent lets the next term know how much of its pace the account has used up. Without that, each change of hands, and each
// restart, would grant a fresh burst, and what the platform asked for would be forgotten.
func (a *account) keepSpent() {
	now := time.Now()
	spent, some := a.outbox.SpentPace(now)
	if !a.atWork.Load() || !some && !a.bot.leased.Load() {
		return
	}
	a.noteSpent(&spentNote{Spent: spent}) //mutate:spent-kept
}

func (a *account) noteSpent(note *spentNote) {
	value, err := json.Marshal(note)
	if err != nil {
		return // a number that is none; nothing worse comes of it than a burst
	}
	a.bot.store.Commit(store.Write{Known: &store.Known{Account: a.name, Fact: event.Fact{Name: spentFact, Value: value, ReadAt: note.At}}, Done: func(store.Receipt) {}})
}

// lastSpent returns what is known of the account's last term; nil for nothing.
func (a *account) lastSpent(ctx context.Context) (*spentNote, error) {
	f, ok, err := a.bot.store.Known(ctx, a.name, spentFact)
	if !ok || err != nil {
		return nil, err
	}
	note := &spentNote{}
	if err := json.Unmarshal(f.Value, note); err != nil {
		a.bot.log.Warn("what the account has used up of its pace cannot be read; it begins anew", "account", a.name, "err", err)
		return nil, nil //nolint:nilnil // nothing is known
	}
	return note, nil
}

// inheritPace takes up how much of its pace the account has used up in its last term. After a crash nobody knows: where another worker
// has died, all of it counts as used up, and a process that was alone on its database begins anew.
func (a *account) inheritPace(last *spentNote) {
	var note spentNote
	ok := last != nil
	if ok {
		note = *last
	}
	if a.bot.leased.Load() {
		if !ok || note.Open { //mutate:spent-unknown
			note.Spent = outbox.Spent{At: time.Now()}
		}
		note.Open = true
		a.noteSpent(&note)
	}
	if ok || note.Open {
		a.outbox.InheritPace(note.Spent)
	}
}
