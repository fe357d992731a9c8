package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

const selectFacts = `SELECT name, value, read_at FROM fact WHERE shard = $1 AND account = $2 AND trigger_id = $3 ORDER BY name`

// Facts returns what was recorded for a trigger, by name.
func (r *Reader) Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error) {
	var facts []event.Fact
	err := r.each(ctx, r.facts, func(rows *sql.Rows) error {
		var f event.Fact
		var stored seal.Value
		var value string
		var at int64
		err := rows.Scan(&f.Name, &stored, &at)
		if err == nil {
			value, err = stored.TextFrom(r.vault, seal.FactValue.CellWithin(account, trigger, f.Name))
		}
		f.Value, f.ReadAt = json.RawMessage(value), bind.FromMicros(at)
		facts = append(facts, f)
		return err
	}, account.Shard(), string(account), trigger)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", trigger, err)
	}
	return facts, nil
}
