package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	selectTimerRow = `SELECT timer.account, timer.peer, timer.name, occurrence, due_at, set_at, first_due_at, data, tries, late, state, tried_at, note, why,
		coalesce(username, '') FROM timer `
	joinUser = ` LEFT JOIN conversation AS c ON c.shard = timer.shard AND c.account = timer.account AND c.peer = timer.peer `

	selectTimersIn = selectTimerRow + `INDEXED BY timer_aside` + joinUser + `WHERE state <> 'waiting' AND timer.shard = $1 AND timer.account = $2
		AND state = $3 AND due_at >= $4 AND due_at <= $5 AND (timer.peer = $6 OR $6 = 0)
		AND (due_at < $5 OR timer.peer < $8 OR timer.peer = $8 AND timer.name < $9) ORDER BY due_at DESC, timer.peer DESC, timer.name DESC LIMIT $7 + 0`
	selectTimersDue = selectTimerRow + `INDEXED BY timer_due` + joinUser + `WHERE state = 'waiting' AND timer.shard = $1 AND timer.account = $2
		AND due_at >= $3 AND due_at <= $4 AND (timer.peer = $5 OR $5 = 0)
		AND (due_at < $4 OR timer.peer < $7 OR timer.peer = $7 AND timer.name < $8) ORDER BY due_at DESC, timer.peer DESC, timer.name DESC LIMIT $6 + 0`
	selectOneTimer = selectTimerRow + joinUser + `WHERE timer.shard = $1 AND timer.account = $2 AND timer.peer = $3 AND timer.name = $4`
)

// Timers returns timers in a state, those that were due last first.
func (in *Inspector) Timers(ctx context.Context, q record.TimerQuery) ([]record.TimerRow, error) {
	shard, account, since, until := q.Account.Shard(), string(q.Account), bind.ToMicros(q.Since), bind.ToMicros(q.Until)
	peer, name := int64(math.MaxInt64), ""
	if q.After != nil {
		until, peer, name = bind.ToMicros(q.After.Due), int64(q.After.Key.Peer), q.After.Name
	}
	query, args := selectTimersIn, []any{shard, account, q.State, since, until, int64(q.Peer), q.Limit, peer, name}
	if q.State == record.TimerWaiting {
		query, args = selectTimersDue, []any{shard, account, since, until, int64(q.Peer), q.Limit, peer, name}
	}
	rows, err := in.timerRows(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read timers of %s: %w", q.Account, err)
	}
	return rows, nil
}

// Alarm returns a timer of a conversation by its name; false when it is not set.
func (in *Inspector) Alarm(ctx context.Context, key event.Key, name string) (record.TimerRow, bool, error) {
	row, found, err := firstOf(in.timerRows(ctx, selectOneTimer, key.Account.Shard(), string(key.Account), int64(key.Peer), name))
	if err != nil {
		return row, false, fmt.Errorf("read the timer %s of %s with %d: %w", name, key.Account, key.Peer, err)
	}
	return row, found, nil
}

// Timer returns when a timer of a conversation is due; zero when it is not set.
func (in *Inspector) Timer(ctx context.Context, key event.Key, name string) (time.Time, error) {
	row, _, err := in.Alarm(ctx, key, name)
	return row.Due, err
}

func (in *Inspector) timerRows(ctx context.Context, text string, args ...any) ([]record.TimerRow, error) {
	return rowsOf(ctx, in.Reader, text, in.scanTimerRow, args...)
}

// scanTimerRow reads a row of selectTimerRow.
func (r *Reader) scanTimerRow(rows scanner) (row record.TimerRow, err error) {
	var triedAt int64
	var note seal.Value
	if row.DueTimer, err = r.scanTimer(rows, &row.State, &triedAt, &note, &row.Why, &row.User); err == nil {
		row.Note, err = note.TextFrom(r.vault, seal.TimerNote.OfTimer(row.Key, row.Name))
	}
	row.TriedAt = bind.FromMicros(triedAt)
	return row, err
}
