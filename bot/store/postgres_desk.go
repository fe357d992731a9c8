package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
)

// Desks change a database of PostgreSQL one after another, as they change a file: by a lock that each of their transactions
// takes first. So numbers of requests are given once, and whoever gets the lock knows that what was under way before is over.
const (
	selectTurnstile = `SELECT pg_advisory_xact_lock(1315267445, hashtext(current_schema()))` // the number behind lockClass
	lockKeys        = `LOCK TABLE seal_key IN SHARE MODE`                                    // nobody adds a key, or deletes one
	selectRunning   = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid = 1315267444 AND objid = hashtext(current_schema())::oid AND objsubid = 2`
)

// openPostgresDesk opens the database at a URL, which must have been made by openPostgres; see OpenDesk.
func openPostgresDesk(ctx context.Context, url string, key platform.Secret) (*Desk, error) {
	r, config, err := openPostgresReader(ctx, url, key)
	if err != nil {
		return nil, err
	}
	d := &Desk{Reader: r, writes: openPostgresDB(config, 1), around: func(commit func() error) error { return commit() }}
	d.running = func() (bool, error) { return d.isLocked(context.WithoutCancel(ctx)) }
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", nameOfPostgres(config), explainPostgres(err)), d.Close())
	}
	return d, nil
}

// isLocked tells whether a bot has the database.
func (d *Desk) isLocked(ctx context.Context) (bool, error) {
	n := 0
	if err := d.db.QueryRowContext(ctx, selectRunning).Scan(&n); err != nil {
		return false, fmt.Errorf("look whether a bot runs: %w", explainPostgres(err))
	}
	return n > 0, nil
}

// alone lets a transaction of a desk be the only one. With private it stores something that is sealed.
func (d *Desk) alone(ctx context.Context, tx *sql.Tx, private bool) error {
	if !d.server {
		return nil
	}
	if _, err := tx.ExecContext(ctx, selectTurnstile); err != nil { //mutate:turnstile
		return err
	}
	if !private {
		return nil
	}
	_, err := tx.ExecContext(ctx, lockKeys)
	return err
}

// settled returns when no transaction of a desk is under way that was begun before.
func (d *Desk) settled(ctx context.Context) error {
	if !d.server {
		return nil
	}
	_, err := d.writes.ExecContext(ctx, selectTurnstile)
	return err
}
