package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

const selectFacts = `SELECT name, value, read_at FROM fact WHERE shard = $1 AND account = $2 AND trigger_id = $3 ORDER BY name`

// Facts returns what was recorded for a trigger, by name.
func (r *Reader) Facts(ctx context.Context, account event.Account, trigger string) ([]event.Fact, error) {
	var facts []event.Fact
	err := r.each(ctx, r.facts, func(rows *sql.Rows) error {
		var f event.Fact
		var value string
		var at int64
		if err := rows.Scan(&f.Name, &value, &at); err != nil {
			return err
		}
		f.Value, f.ReadAt = json.RawMessage(value), moment(at)
		facts = append(facts, f)
		return nil
	}, account.Shard(), string(account), trigger)
	if err != nil {
		return nil, fmt.Errorf("read the facts of %s: %w", trigger, err)
	}
	return facts, nil
}
