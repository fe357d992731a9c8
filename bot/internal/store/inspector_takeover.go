package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

const selectTakeovers = selectTurnRow + `WHERE shard = $1 AND account = $2 AND id >= 'decision:takeover/' AND id < 'decision:takeover0' AND peer = $3 ORDER BY handled_at DESC LIMIT $4 + 0`

// Takeovers returns the turns by which a conversation became that of a person of ours who wrote there, each with its facts,
// newest first. It looks at those of all conversations.
func (in *Inspector) Takeovers(ctx context.Context, key event.Key, limit int) (all []record.Recorded, err error) {
	all, err = in.recordedTurns(ctx, key.Account, selectTakeovers, int64(key.Peer), limit)
	for i := 0; i < len(all) && err == nil; i++ {
		all[i].Facts, err = in.Facts(ctx, key.Account, all[i].Turn.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("read when people wrote to %d by hand: %w", key.Peer, err)
	}
	return all, nil
}
