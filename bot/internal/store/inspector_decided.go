package store

import (
	"context"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

const (
	whereDecided    = `WHERE shard = $1 AND account = $2 AND id >= 'decision:request/' AND id < 'decision:request0' `
	selectDecided   = selectTurnRow + whereDecided + `ORDER BY id`
	selectDecisions = selectTurnRow + whereDecided + `AND peer = $3 ORDER BY id DESC LIMIT $4 + 0`
)

// Decisions returns what people decided at an inspector about a conversation, as far as it is kept, the newest first.
func (in *Inspector) Decisions(ctx context.Context, key event.Key, limit int) ([]record.TurnRow, error) {
	all, err := in.turnRows(ctx, key.Account, selectDecisions, int64(key.Peer), limit)
	if err != nil {
		return nil, fmt.Errorf("read what people decided about %d: %w", key.Peer, err)
	}
	return all, nil
}

// EditedActions returns the keys of the actions that people let leave with another text, by what they decided, as far as that is kept.
func (in *Inspector) EditedActions(ctx context.Context, account event.Account) (map[string]bool, error) {
	all := map[string]bool{}
	turns, err := in.turnRows(ctx, account, selectDecided)
	if err != nil {
		return nil, fmt.Errorf("read what people decided for %s: %w", account, err)
	}
	for i := range turns {
		if key := reason.EditedBy(&turns[i].Record); key != "" {
			all[key] = true
		}
	}
	return all, nil
}
