package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const actionColumns = `account, key, peer, verb, text, post, target, want, priority, state, due_at, position, settle_from,
	result, tries, reason, decided_at, left_at, ended_at`

// Due returns actions in state due whose time has come, by priority, time and place.
func (s *SQLite) Due(ctx context.Context, account event.Account, now time.Time, except []platform.UserID, limit int) ([]event.Action, error) {
	query := `SELECT ` + actionColumns + ` FROM action WHERE shard = $1 AND account = $2 AND state = 'due' AND due_at <= $3`
	if len(except) > 0 {
		query += ` AND peer NOT IN (` + list(except) + `)`
	}
	actions, err := s.actions(ctx, query+` ORDER BY priority, due_at, position LIMIT $4`,
		account.Shard(), string(account), now.UnixMicro(), limit)
	if err != nil {
		return nil, fmt.Errorf("read the due actions of %s: %w", account, err)
	}
	return actions, nil
}

// NextDue returns when the next action in state due comes due; zero when there is none.
func (s *SQLite) NextDue(ctx context.Context, account event.Account) (time.Time, error) {
	var next sql.NullInt64
	err := s.reads.QueryRowContext(ctx, `SELECT min(due_at) FROM action WHERE shard = $1 AND account = $2 AND state = 'due'`,
		account.Shard(), string(account)).Scan(&next)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the next due action of %s: %w", account, err)
	}
	return moment(next.Int64), nil
}

// Open returns the actions in state sending or unsure, by position.
func (s *SQLite) Open(ctx context.Context, account event.Account) ([]event.Action, error) {
	actions, err := s.actions(ctx, `SELECT `+actionColumns+` FROM action
		WHERE shard = $1 AND account = $2 AND state IN ('sending', 'unsure') ORDER BY position`, account.Shard(), string(account))
	if err != nil {
		return nil, fmt.Errorf("read the open actions of %s: %w", account, err)
	}
	return actions, nil
}

// Results returns which of ids are results of the account's actions of this verb.
func (s *SQLite) Results(ctx context.Context, account event.Account, verb event.Verb, ids []int64) (map[int64]bool, error) {
	found := map[int64]bool{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		found[id] = true
		return nil
	}, `SELECT result FROM action WHERE shard = $1 AND account = $2 AND result > 0 AND result IN (`+list(ids)+`) AND verb = $3`,
		account.Shard(), string(account), string(verb))
	if err != nil {
		return nil, fmt.Errorf("read the results of %s: %w", account, err)
	}
	return found, nil
}

func (s *SQLite) actions(ctx context.Context, query string, args ...any) ([]event.Action, error) {
	var actions []event.Action
	err := s.each(ctx, func(rows *sql.Rows) error {
		var a event.Action
		var due, decided, left, ended int64
		if err := rows.Scan(&a.Account, &a.Key, &a.Peer, &a.Verb, &a.Text, &a.Post, &a.User, &a.Want, &a.Priority, &a.State,
			&due, &a.Position, &a.SettleFrom, &a.Result, &a.Tries, &a.Reason, &decided, &left, &ended); err != nil {
			return err
		}
		a.Due, a.DecidedAt, a.LeftAt, a.EndedAt = moment(due), moment(decided), moment(left), moment(ended)
		actions = append(actions, a)
		return nil
	}, query, args...)
	return actions, err
}
