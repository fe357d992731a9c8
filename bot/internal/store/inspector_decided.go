package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

const selectDecided = `SELECT id, note, why FROM turn WHERE shard = $1 AND account = $2 AND id >= 'decision:request/' AND id < 'decision:request0' ORDER BY id`

const selectDecisions = `SELECT id, handled_at, outcome, note, decided_by FROM turn
	WHERE shard = $1 AND account = $2 AND id >= 'decision:request/' AND id < 'decision:request0' AND peer = $3 ORDER BY id DESC LIMIT $4 + 0`

// Decisions returns what people decided at an inspector about a conversation, as far as it is kept, the newest first.
func (in *Inspector) Decisions(ctx context.Context, key event.Key, limit int) ([]record.TurnRow, error) {
	var all []record.TurnRow
	var broken error
	var t record.TurnRow
	var at int64
	var note seal.Value
	err := in.query(ctx, selectDecisions, []any{key.Account.Shard(), string(key.Account), int64(key.Peer), limit},
		[]any{&t.ID, &at, outcomeIn(&t.Record.Outcome), &note, &t.Record.By}, func() {
			x := t
			var err error
			if x.Record.Note, err = note.TextFrom(in.vault, seal.TurnNote.CellOf(key.Account, t.ID)); err != nil {
				broken = err
			}
			x.Account, x.Peer, x.HandledAt = key.Account, key.Peer, bind.FromMicros(at)
			all = append(all, x)
		})
	if err = errors.Join(err, broken); err != nil {
		return nil, fmt.Errorf("read what people decided about %d: %w", key.Peer, err)
	}
	return all, nil
}

// EditedActions returns the keys of the actions that people let leave with another text, by what they decided, as far as that is kept.
func (in *Inspector) EditedActions(ctx context.Context, account event.Account) (map[string]bool, error) {
	var id string
	var note seal.Value
	var broken error
	var t event.DecisionRecord
	all := map[string]bool{}
	err := in.query(ctx, selectDecided, []any{account.Shard(), string(account)}, []any{&id, &note, &t.Why}, func() {
		var err error
		if t.Note, err = note.TextFrom(in.vault, seal.TurnNote.CellOf(account, id)); err != nil {
			broken = err
			return
		}
		if key := reason.EditedBy(&t); key != "" {
			all[key] = true
		}
	})
	if err = errors.Join(err, broken); err != nil {
		return nil, fmt.Errorf("read what people decided for %s: %w", account, err)
	}
	return all, nil
}
