package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// ofAccount stands for the trigger of what is known of an account; no trigger has this id.
const ofAccount = "account"

// Known is what is known of an account from some time on.
type Known struct {
	Account event.Account
	Fact    event.Fact
	As      string // what stands in the place of a trigger, see Reader.Facts; "" for what Reader.Known tells
}

// Known returns what is known of an account by a name, as Turn.Known or Write.Known has stored it; false when nothing is.
func (r *Reader) Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error) {
	facts, err := r.Facts(ctx, account, ofAccount)
	if err != nil {
		return event.Fact{}, false, fmt.Errorf("read %q of the account %s: %w", name, account, err)
	}
	i := slices.IndexFunc(facts, func(f event.Fact) bool { return f.Name == name })
	if i < 0 {
		return event.Fact{}, false, nil
	}
	return facts[i], true, nil
}

// storeKnown stores what is known of an account from now on.
func (a *applier) storeKnown(account event.Account, known []event.Fact) error {
	return a.storeKnownAs(account, ofAccount, known)
}

func (a *applier) storeKnownAs(account event.Account, as string, known []event.Fact) error {
	for _, f := range known {
		if err := a.know.key(account).str(as).str(f.Name).addSecret(seal.FactValue.CellWithin(account, as, f.Name), string(f.Value)).at(f.ReadAt).do(); err != nil {
			return err
		}
	}
	return nil
}

// StoreFact stores what is known of an account from now on, and returns when that is durable. as stands in the place of a trigger, see
// Reader.Facts; "" for what Reader.Known tells.
func (w *Writer) StoreFact(ctx context.Context, account event.Account, as string, fact event.Fact) error {
	return w.commitNow(ctx, Write{Known: &Known{account, fact, as}})
}

// RememberTrait stores that something holds for an account, from now on; see outbox.Ledger.
func (w *Writer) RememberTrait(ctx context.Context, account event.Account, what string) error {
	fact := event.Fact{Name: what, Value: json.RawMessage("true"), ReadAt: time.Now()}
	return w.commitNow(ctx, Write{Known: &Known{Account: account, Fact: fact}})
}

// HasTrait reports whether something holds for an account; see outbox.Ledger.
func (r *Reader) HasTrait(ctx context.Context, account event.Account, what string) (bool, error) {
	facts, err := r.Facts(ctx, account, ofAccount)
	if err != nil {
		return false, fmt.Errorf("look whether %q is known: %w", what, err)
	}
	return slices.ContainsFunc(facts, func(f event.Fact) bool { return f.Name == what }), nil
}
