package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// ofAccount stands for the trigger of what is known of an account; no trigger has this id.
const ofAccount = "account"

// knownFact is what is known of an account from some time on.
type knownFact struct {
	account event.Account
	fact    event.Fact
}

// Remember stores that something holds for an account, from now on; see outbox.Ledger.
func (w *Writer) Remember(ctx context.Context, account event.Account, what string) error {
	fact := event.Fact{Name: what, Value: json.RawMessage("true"), ReadAt: time.Now()}
	return w.commitNow(ctx, Write{known: &knownFact{account, fact}})
}

// Remembers tells whether something holds for an account; see outbox.Ledger.
func (r *Reader) Remembers(ctx context.Context, account event.Account, what string) (bool, error) {
	facts, err := r.Facts(ctx, account, ofAccount)
	if err != nil {
		return false, fmt.Errorf("look whether %q is known: %w", what, err)
	}
	return slices.ContainsFunc(facts, func(f event.Fact) bool { return f.Name == what }), nil
}
