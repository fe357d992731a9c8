package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/platform"
)

// inspectors change a database of PostgreSQL one after another, as they change a file: by a lock that each of their transactions
// takes first. So numbers of requests are given once, and an inspector that gets the lock knows that the transactions before it are over.
const (
	SelectTurnstile = `SELECT pg_advisory_xact_lock(1315267445, hashtext(current_schema()))` // the number behind postgres.LockClass
	lockKeys        = `LOCK TABLE seal_key IN SHARE MODE`                                    // nobody adds a key, or deletes one
	// A process without a lease has the lock for itself; see takeAlone.
	selectAlone = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid = 1315267444 AND objid = hashtext(current_schema())::oid AND objsubid = 2`
	// Others take over from a worker that was not heard of for so long.
	isHeardOf    = `w.state <> 3 AND w.seen_at > ` + remote.Now + ` - 6000000`
	selectHeard  = `SELECT count(*) FROM worker AS w WHERE ` + isHeardOf
	selectServed = `SELECT count(*) FROM shard AS s JOIN worker AS w ON w.worker = CASE s.owner WHEN 0 THEN s.wanted ELSE s.owner END
		WHERE s.shard = ANY ($1::integer[]) AND ` + isHeardOf
)

// openPostgresInspector opens the database at a URL, which must have been made by openPostgres; see OpenInspector.
func openPostgresInspector(ctx context.Context, url string, key platform.Secret) (*Inspector, error) {
	r, on, err := openPostgresReader(ctx, url, key)
	if err != nil {
		return nil, err
	}
	d := &Inspector{Reader: r, writes: on.OpenDB(1), around: func(commit func() error) error { return commit() }}
	d.running = func(accounts []event.Account) (bool, error) { return d.isServed(context.WithoutCancel(ctx), accounts) }
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", on.Name(), remote.ExplainError(err)), d.Close())
	}
	return d, nil
}

// isServed reports whether there is a bot without a lease, or workers with one that serve all these accounts: any of them, without
// accounts.
func (in *Inspector) isServed(ctx context.Context, accounts []event.Account) (bool, error) {
	text, args, want := selectHeard, []any{}, 1
	if len(accounts) > 0 {
		shards := map[int]bool{}
		list := bind.Numbers{}
		for _, a := range accounts {
			if n := a.Shard(); !shards[n] {
				shards[n], list = true, append(list, int64(n))
			}
		}
		text, args, want = selectServed, []any{list}, len(list)
	}
	alone, served := 0, 0
	err := in.db.QueryRowContext(ctx, selectAlone).Scan(&alone)
	if err == nil && alone == 0 {
		err = in.db.QueryRowContext(ctx, text, args...).Scan(&served)
	}
	if err != nil {
		return false, fmt.Errorf("look whether a bot runs: %w", remote.ExplainError(err))
	}
	return alone > 0 || served >= want, nil
}

// lockAlone lets a transaction of an inspector be the only one. With private it stores something that is sealed.
func (in *Inspector) lockAlone(ctx context.Context, tx *sql.Tx, private bool) error {
	if !in.server {
		return nil
	}
	if _, err := tx.ExecContext(ctx, SelectTurnstile); err != nil { //mutate:turnstile
		return err
	}
	if !private {
		return nil
	}
	_, err := tx.ExecContext(ctx, lockKeys)
	return err
}

// waitForOthers returns when no transaction of an inspector is under way that was begun before.
func (in *Inspector) waitForOthers(ctx context.Context) error {
	if !in.server {
		return nil
	}
	_, err := in.writes.ExecContext(ctx, SelectTurnstile)
	return err
}
