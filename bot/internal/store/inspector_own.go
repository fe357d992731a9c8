package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Turns of the account's own conversation are found by how their ids begin: an index would cost every turn.
const selectOwnTurns = selectTurnRow + `WHERE shard = $1 AND account = $2 AND id >= $3 AND id < $4 AND peer = 0 ORDER BY handled_at DESC, id DESC LIMIT $5 + 0`

const selectOwnDeliveries = selectEvent + `INDEXED BY event_peer WHERE shard = $1 AND account = $2 AND peer = 0 AND source = 5 ORDER BY seen_at DESC LIMIT $3 + 0`

// OwnTurns returns the turns of the account's own conversation, the newest first, with what was recorded for them and what
// they did: those of timers, of nudges, of deliveries and of what people asked of the account.
func (in *Inspector) OwnTurns(ctx context.Context, account event.Account, limit int) ([]record.Recorded, error) {
	var all []record.Recorded
	for _, ids := range [][2]string{{"timer:0/", "timer:00"}, {"nudge:", "nudge;"}, {"decision:", "decision;"}} { // "0" comes after "/", and ";" after ":"
		some, err := in.recordedTurns(ctx, account, selectOwnTurns, ids[0], ids[1], limit)
		if err != nil {
			return nil, fmt.Errorf("read the own turns of %s: %w", account, err)
		}
		all = append(all, some...)
	}
	delivered, err := in.eventRows(ctx, selectOwnDeliveries, account.Shard(), string(account), limit)
	if err != nil {
		return nil, fmt.Errorf("read what was delivered to %s: %w", account, err)
	}
	for i := range delivered {
		all = append(all, record.Recorded{Event: &delivered[i]})
	}
	slices.SortStableFunc(all, func(x, y record.Recorded) int {
		return cmp.Or(y.HandledAt().Compare(x.HandledAt()), cmp.Compare(y.Trigger(), x.Trigger()))
	})
	all = all[:min(len(all), limit)]
	return all, in.completeTurns(ctx, account, all)
}
