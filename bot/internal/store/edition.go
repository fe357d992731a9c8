package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

// What is asked about editions, and stored of them.
const (
	SelectSets     = `SELECT name, number, hash FROM rules_set ORDER BY name`
	SelectOneSet   = `SELECT 1 FROM rules_set WHERE name = $1`
	EditionColumns = `SELECT name, number, hash, at, by_whom, why, back_to FROM rules_edition `
	selectEditions = EditionColumns + `WHERE name = $1 ORDER BY number DESC LIMIT $2`
	selectEdition  = EditionColumns + `WHERE name = $1 AND number = $2`

	InsertEdition = `INSERT INTO rules_edition (name, number, hash, at, by_whom, why, back_to) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	changeSet     = `UPDATE rules_set SET number = $2, hash = $3 WHERE name = $1 AND number = $4`
	InsertSet     = `INSERT INTO rules_set (name, number, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	keepContent   = `INSERT INTO rules_version (hash, content, loaded_at, used_at) VALUES ($1, $2, $3, 0)
		ON CONFLICT (hash) DO UPDATE SET loaded_at = max(rules_version.loaded_at, excluded.loaded_at)`
)

// Sets returns the sets, by name, as they are in force. It is one cheap statement, however many editions they have had.
func (r *Reader) Sets(ctx context.Context) ([]record.Set, error) {
	if !r.server {
		return nil, record.ErrNoSets
	}
	all, err := rareRowsOf(ctx, r, SelectSets, func(rows scanner) (s record.Set, err error) {
		err = rows.Scan(&s.Name, &s.Number, &s.Hash)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read which rules are published: %w", remote.ExplainError(err))
	}
	return all, nil
}

// Editions returns the editions of a set, the newest first.
func (r *Reader) Editions(ctx context.Context, name string, limit int) ([]record.Edition, error) {
	return r.editions(ctx, selectEditions, name, int64(limit))
}

// Edition returns an edition of a set; false when there is none of that number.
func (r *Reader) Edition(ctx context.Context, name string, number int64) (record.Edition, bool, error) {
	return firstOf(r.editions(ctx, selectEdition, name, number))
}

func (r *Reader) editions(ctx context.Context, text string, args ...any) ([]record.Edition, error) {
	if !r.server {
		return nil, record.ErrNoSets
	}
	all, err := rareRowsOf(ctx, r, text, func(rows scanner) (e record.Edition, err error) {
		var at int64
		err = rows.Scan(&e.Name, &e.Number, &e.Hash, &at, &e.By, &e.Why, &e.BackTo)
		e.At = bind.FromMicros(at)
		return e, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read what was published: %w", remote.ExplainError(err))
	}
	return all, nil
}

// Publish puts an edition with this content in force, and returns it with its number, which is given here. seen is the number of the
// edition that the caller saw in force, 0 for none: when another one is in force by now, the error is an OvertakenError.
func (in *Inspector) Publish(ctx context.Context, e record.Edition, content string, seen int64) (record.Edition, error) {
	if !in.server {
		return e, record.ErrNoSets
	}
	e.Number, e.At = seen+1, time.UnixMicro(time.Now().UnixMicro())
	tx, err := in.writes.BeginTx(ctx, nil)
	if err == nil {
		defer func() { _ = tx.Rollback() }() // it does nothing after a commit
		if err = in.publish(ctx, tx, &e, content, seen); err == nil {
			err = in.commit(ctx, tx.Commit, func(ctx context.Context) (bool, error) {
				_ = tx.Rollback() // if it is still under way; nothing changes after this
				if err := in.waitForOthers(ctx); err != nil {
					return false, err
				}
				there, ok, err := in.Edition(ctx, e.Name, e.Number)
				return ok && there.Set == e.Set && there.By == e.By && there.At.Equal(e.At), err
			})
		}
	}
	if _, overtaken := errors.AsType[*record.OvertakenError](err); err != nil && !overtaken {
		err = fmt.Errorf("publish %s: %w", e.Name, remote.ExplainError(err))
	}
	return e, err
}

func (in *Inspector) publish(ctx context.Context, tx *sql.Tx, e *record.Edition, content string, seen int64) error {
	if err := in.lockAlone(ctx, tx, false); err != nil {
		return err
	}
	statement, args := InsertSet, []any{e.Name, e.Number, e.Hash}
	if seen > 0 {
		statement, args = changeSet, append(args, seen)
	}
	done, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	changed, err := done.RowsAffected()
	switch {
	case err != nil:
		return err
	case changed == 0: //mutate:published-meanwhile
		return in.overtaken(ctx, e.Name)
	}
	if _, err := tx.ExecContext(ctx, keepContent, e.Hash, content, bind.ToMicros(e.At)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, InsertEdition, e.Name, e.Number, e.Hash, bind.ToMicros(e.At), e.By, e.Why, e.BackTo)
	return err
}

// overtaken tells which edition is in force instead.
func (in *Inspector) overtaken(ctx context.Context, name string) error {
	all, err := in.Editions(ctx, name, 1)
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return &record.OvertakenError{Edition: record.Edition{Set: record.Set{Name: name}}}
	}
	return &record.OvertakenError{Edition: all[0]}
}
