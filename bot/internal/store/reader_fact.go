package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const selectFacts = `SELECT name, value, read_at FROM fact WHERE shard = $1 AND account = $2 AND trigger_id = $3 ORDER BY name`

// Facts returns what was recorded for a trigger, by name.
func (r *Reader) Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error) {
	facts, err := rowsOf(ctx, r, selectFacts, func(rows scanner) (event.Fact, error) {
		var f storedFact
		if err := rows.Scan(&f.Name, &f.value, &f.at); err != nil {
			return f.Fact, err
		}
		return f.open(r.vault, account, trigger)
	}, account.Shard(), string(account), trigger)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", trigger, err)
	}
	return facts, nil
}

// storedFact is a fact as it is read.
type storedFact struct {
	event.Fact
	value seal.Value
	at    int64
}

// open returns the fact of a trigger.
func (f *storedFact) open(v *seal.Vault, account event.Account, trigger string) (event.Fact, error) {
	text, err := f.value.TextFrom(v, seal.FactValue.CellWithin(account, trigger, f.Name))
	f.Value, f.ReadAt = blobOf(text), bind.FromMicros(f.at)
	return f.Fact, err
}

// scanTriggerFact reads a row of a fact behind its trigger.
func (r *Reader) scanTriggerFact(rows scanner, account event.Account) (of record.TriggerFact, err error) {
	var f storedFact
	if err = rows.Scan(&of.Trigger, &f.Name, &f.value, &f.at); err == nil {
		of.Fact, err = f.open(r.vault, account, of.Trigger)
	}
	return of, err
}
