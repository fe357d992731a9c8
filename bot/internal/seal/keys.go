package seal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// What is asked about the keys of a database.
const (
	selectKeys  = `SELECT number, secret, box FROM seal_key ORDER BY number`
	InsertKey   = `INSERT INTO seal_key (number, secret, box, leaves, made_at) VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING`
	NewestKey   = `SELECT coalesce(max(number), 0) FROM seal_key`
	OldSessions = `SELECT account, sealed FROM session WHERE substr(sealed, 1, 1) = x'01'`
	insertUser  = `INSERT INTO seal_user (one, secret) VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET secret = excluded.secret`
	SelectUser  = `SELECT secret FROM seal_user`
	LeaveOthers = `UPDATE seal_key SET leaves = CASE WHEN secret <> $1 THEN 1 ELSE 0 END`
)

// MaxKeys is how many keys a file can have had.
const MaxKeys = 1<<16 - 1

// Querier is a connection, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// ReadKeys reads the keys that a secret opens, and tells how many there are.
func ReadKeys(ctx context.Context, db Querier, s *Secret) (_ *Ring, all int, err error) {
	rows, err := db.QueryContext(ctx, selectKeys)
	if err != nil {
		return nil, 0, fmt.Errorf("read the keys: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r := NewRing()
	for rows.Next() {
		var number uint16
		var print, sealed []byte
		if err := rows.Scan(&number, &print, &sealed); err != nil {
			return nil, 0, fmt.Errorf("read the keys: %w", err)
		}
		all++
		// Keys of another secret are counted all the same: that some are there, and none opens, tells a closed file from a new one.
		if !s.IsGiven() || string(print) != string(s.Print[:]) {
			continue
		}
		key, err := s.unwrap(number, sealed)
		if err != nil {
			return nil, 0, fmt.Errorf("open the key %d: %w", number, err)
		}
		if err := r.add(number, key); err != nil {
			return nil, 0, err
		}
	}
	return r, all, rows.Err()
}

// OpenVault reads the keys of a file. Without a secret that opens them its vault is closed.
func OpenVault(ctx context.Context, db Querier, key platform.Secret) (*Vault, error) {
	s, err := NewSecret(key)
	if err != nil {
		return nil, err
	}
	r, all, err := ReadKeys(ctx, db, &s)
	if err != nil {
		return nil, err
	}
	r.closed = all > 0 && r.Newest == 0
	v := &Vault{Secret: s}
	v.Ring.Store(r)
	v.load = func() (*Ring, error) {
		fresh, _, err := ReadKeys(context.WithoutCancel(ctx), db, &s)
		return fresh, err
	}
	return v, nil
}

// UnlockFile makes sure that a bot can run on a file: that it opens what is sealed, and has a key when it was given a
// secret. With forget, what does not open is deleted; statements does the same for tables that only one engine has.
func UnlockFile(ctx context.Context, db *sql.DB, key platform.Secret, forget bool, statements ...string) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	v, err := OpenVault(ctx, tx, key)
	if err != nil {
		return err
	}
	shut := v.IsClosed()
	if !shut && v.IsSealing() { // a key of another secret that has taken its place, and that this one does not open
		var newest uint16
		if err := tx.QueryRowContext(ctx, NewestKey).Scan(&newest); err != nil {
			return fmt.Errorf("read the keys: %w", err)
		}
		shut = newest != v.Ring.Load().Newest
	}
	if !shut { //mutate:old-session
		if shut, err = v.ShutOut(ctx, tx); err != nil {
			return err
		}
	}
	switch {
	case shut && forget:
		if err := forgetSealed(ctx, tx, statements); err != nil {
			return err
		}
		v.Ring.Store(NewRing())
	case shut && v.Secret.IsGiven():
		return ErrSealed
	case shut:
		return ErrNoKey
	}
	if v.Secret.IsGiven() && v.Ring.Load().Newest == 0 {
		if _, err := tx.ExecContext(ctx, InsertKey, 1, v.Secret.Print[:], v.Secret.Wrap(1, NewKey()), time.Now().UnixMicro()); err != nil {
			return fmt.Errorf("store a new key: %w", err)
		}
	}
	if v.Secret.IsGiven() {
		if _, err := tx.ExecContext(ctx, insertUser, v.Secret.Print[:]); err != nil {
			return fmt.Errorf("note whose key it is: %w", err)
		}
	}
	return tx.Commit()
}

// ShutOut reports whether there is a session that was sealed before there were keys, and does not open.
func (v *Vault) ShutOut(ctx context.Context, db Querier) (shut bool, err error) {
	rows, err := db.QueryContext(ctx, OldSessions)
	if err != nil {
		return false, fmt.Errorf("read the sessions: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var account event.Account
		var sealed []byte
		if err := rows.Scan(&account, &sealed); err != nil {
			return false, fmt.Errorf("read the sessions: %w", err)
		}
		if _, err := v.Secret.OpenSession(account, sealed); err != nil {
			return true, nil
		}
	}
	return false, rows.Err()
}
