package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const selectSealing = `SELECT coalesce(max(number), 0), coalesce((SELECT looked FROM sealing WHERE number = (SELECT max(number) FROM seal_key)), 0),
	coalesce((SELECT done_at FROM sealing WHERE number = (SELECT max(number) FROM seal_key)), 0) FROM seal_key`

// Sealing returns how much of the database is sealed with its newest key.
func (r *Reader) Sealing(ctx context.Context) (record.Sealing, error) {
	var s record.Sealing
	var doneAt int64
	if err := r.db.QueryRowContext(ctx, selectSealing).Scan(&s.Keys, &s.Looked, &doneAt); err != nil {
		return s, fmt.Errorf("read how much is encrypted: %w", err)
	}
	s.DoneAt = bind.FromMicros(doneAt)
	return s, nil
}

// Rows returns how many rows with something to be sealed a file has.
func (r *Reader) Rows(ctx context.Context) (all int64, err error) {
	for i := range seal.Tables {
		var n int64
		if err := r.db.QueryRowContext(ctx, `SELECT count(*) FROM "`+seal.Tables[i].Name+`"`).Scan(&n); err != nil {
			return 0, fmt.Errorf("count the rows: %w", err)
		}
		all += n
	}
	return all, nil
}
