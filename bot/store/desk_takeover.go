package store

import (
	"cmp"
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
)

const selectTakeovers = `SELECT id, peer, handled_at, route, outcome, note, rule, rules_version, before FROM turn
	WHERE shard = $1 AND account = $2 AND id >= 'decision:takeover/' AND id < 'decision:takeover0' AND peer = $3 ORDER BY handled_at DESC LIMIT $4 + 0`

// Takeovers returns the turns by which a conversation became that of a person of ours who wrote there, each with its facts,
// newest first. It looks at those of all conversations.
func (d *Desk) Takeovers(ctx context.Context, key event.Key, limit int) (all []Recorded, err error) {
	rows, err := d.db.QueryContext(ctx, selectTakeovers, key.Account.Shard(), string(key.Account), int64(key.Peer), limit)
	if err != nil {
		return nil, fmt.Errorf("read when people wrote to %d by hand: %w", key.Peer, err)
	}
	for err == nil && rows.Next() {
		var t TurnRow
		t, err = d.scanTurn(rows, key.Account)
		all = append(all, Recorded{Turn: &t})
	}
	err = cmp.Or(err, rows.Err())
	if shut := rows.Close(); err == nil {
		err = shut
	}
	for i := 0; i < len(all) && err == nil; i++ {
		all[i].Facts, err = d.Facts(ctx, key.Account, all[i].Turn.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("read when people wrote to %d by hand: %w", key.Peer, err)
	}
	return all, nil
}
