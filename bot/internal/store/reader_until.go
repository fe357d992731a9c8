package store

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

const (
	whereWaits = `INDEXED BY action_until WHERE until_at > 0 AND (state = 'due' OR state = 'held') AND shard = $1 AND account = $2`
	// What waits for an approval is withdrawn with all that waits with it, by a turn. What may have left, only a person
	// withdraws.
	//mutate:until-held
	selectLate = selectAction + whereWaits + ` AND until_at <= $3 AND (state = 'due' OR left_at = 0 AND NOT EXISTS (SELECT 1 FROM approval AS p
		WHERE p.shard = action.shard AND p.account = action.account AND p.key = action.key AND p.ruling = '')) ORDER BY until_at LIMIT $4 + 0`
	selectNextUntil = `SELECT coalesce(min(until_at), 0) FROM action ` + whereWaits + ` AND until_at > $3`
)

// LateActions returns actions with a latest departure that is not after now, but for those that wait for an approval.
func (r *Reader) LateActions(ctx context.Context, account event.Account, now time.Time, limit int) ([]event.Action, error) {
	late, err := r.readActions(ctx, selectLate, account.Shard(), string(account), bind.Instant(now.UnixMicro()), limit)
	if err != nil {
		return nil, fmt.Errorf("read what is too late of %s: %w", account, err)
	}
	return late, nil
}

// NextUntil returns the first of the latest departures after now, of actions that are due or held; zero when there is none.
func (r *Reader) NextUntil(ctx context.Context, account event.Account, now time.Time) (time.Time, error) {
	var next int64
	if _, err := r.queryOne(ctx, selectNextUntil, []any{&next}, account.Shard(), string(account), bind.Instant(now.UnixMicro())); err != nil {
		return time.Time{}, fmt.Errorf("read the next latest departure of %s: %w", account, err)
	}
	return bind.FromMicros(next), nil
}
