package store

import (
	"context"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const selectTurnRow = `SELECT id, peer, handled_at, route, outcome, note, rule, rules_version, before, decided_by, why FROM turn `

// turnRows reads turns of an account by a selectTurnRow: its first argument is the account, the others are args.
func (r *Reader) turnRows(ctx context.Context, account event.Account, text string, args ...any) ([]record.TurnRow, error) {
	return rareRowsOf(ctx, r, text, r.scanTurn(account), append([]any{account.Shard(), string(account)}, args...)...)
}

// scanTurn reads a selectTurnRow of an account.
func (r *Reader) scanTurn(account event.Account) func(scanner) (record.TurnRow, error) {
	return func(rows scanner) (record.TurnRow, error) {
		t := record.TurnRow{Account: account}
		var e storedEvent
		var at int64
		err := rows.Scan(&t.ID, &t.Peer, &at, &t.Record.Route, outcomeIn(&t.Record.Outcome), &e.note, &t.Record.Rule, &t.Record.Version, &e.before, &t.Record.By, &t.Record.Why)
		if err == nil {
			err = e.openRecord(r.vault, seal.TurnNote.CellOf(account, t.ID), seal.TurnBefore.CellOf(account, t.ID))
		}
		t.HandledAt, t.Record.Note, t.Record.Before = bind.FromMicros(at), e.Record.Note, e.Record.Before
		return t, err
	}
}

// recordedTurns is turnRows as Recorded; the caller adds what else was recorded.
func (r *Reader) recordedTurns(ctx context.Context, account event.Account, text string, args ...any) (all []record.Recorded, err error) {
	turns, err := r.turnRows(ctx, account, text, args...)
	for i := range turns {
		all = append(all, record.Recorded{Turn: &turns[i]})
	}
	return all, err
}
