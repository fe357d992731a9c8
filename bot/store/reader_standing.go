package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

const selectStuck = `SELECT
	(SELECT count(*) FROM event INDEXED BY event_waiting WHERE state <> 'handled' AND shard = $1 AND account = $2 AND state = 'quarantined')
	+ (SELECT count(*) FROM timer INDEXED BY timer_aside WHERE state <> 'waiting' AND shard = $1 AND account = $2 AND state = 'quarantined')`

const selectStanding = `SELECT count(*) FILTER (WHERE state = 'unsure'), count(*) FILTER (WHERE state = 'held') FROM action INDEXED BY action_open ` + whereOpen +
	` AND shard = $1 AND account = $2`

// Standing counts the account's actions in state unsure, and those that are held.
func (r *Reader) Standing(ctx context.Context, account event.Account) (unsure, held int, err error) {
	if _, err := r.one(ctx, r.standing, []any{&unsure, &held}, account.Shard(), string(account)); err != nil {
		return 0, 0, fmt.Errorf("count the open actions of %s: %w", account, err)
	}
	return unsure, held, nil
}

// Stuck counts the account's events and timers that are quarantined.
func (r *Reader) Stuck(ctx context.Context, account event.Account) (n int, err error) {
	if _, err := r.one(ctx, r.stuck, []any{&n}, account.Shard(), string(account)); err != nil {
		return 0, fmt.Errorf("count what is quarantined of %s: %w", account, err)
	}
	return n, nil
}
