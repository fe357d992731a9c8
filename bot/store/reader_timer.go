package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

const selectTimers = `SELECT account, peer, name, occurrence, due_at, data FROM timer
	ORDER BY due_at, shard, account, peer, name LIMIT $1 + 0`

// DueTimers returns timers that are due at now, oldest first, and when the next one is due.
func (r *Reader) DueTimers(ctx context.Context, now time.Time, limit int) ([]event.Timer, time.Time, error) {
	var due []event.Timer
	var next time.Time
	err := r.each(ctx, r.timers, func(rows *sql.Rows) error {
		var t event.Timer
		var at int64
		var data string
		if err := rows.Scan(&t.Key.Account, &t.Key.Peer, &t.Name, &t.Occurrence, &at, &data); err != nil {
			return err
		}
		t.Due = moment(at)
		if data != "" {
			t.Data = []byte(data)
		}
		if len(due) < limit && !t.Due.After(now) {
			due = append(due, t)
		} else if next.IsZero() {
			next = t.Due
		}
		return nil
	}, limit+1)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the due timers: %w", err)
	}
	return due, next, nil
}
