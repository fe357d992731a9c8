package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

const selectStanding = `SELECT coalesce(sum(state = 'unsure'), 0), coalesce(sum(state = 'held'), 0) FROM action INDEXED BY action_open ` + whereOpen +
	` AND shard = $1 AND account = $2`

// Standing counts the account's actions in state unsure, and those that are held.
func (r *Reader) Standing(ctx context.Context, account event.Account) (unsure, held int, err error) {
	if _, err := r.one(ctx, r.standing, []any{&unsure, &held}, account.Shard(), string(account)); err != nil {
		return 0, 0, fmt.Errorf("count the open actions of %s: %w", account, err)
	}
	return unsure, held, nil
}
