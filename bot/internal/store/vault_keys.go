package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

const (
	selectKeys  = `SELECT number, secret, box FROM seal_key ORDER BY number`
	insertKey   = `INSERT INTO seal_key VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING`
	newestKey   = `SELECT coalesce(max(number), 0) FROM seal_key`
	oldSessions = `SELECT account, sealed FROM session WHERE substr(sealed, 1, 1) = x'01'`
	insertUser  = `INSERT INTO seal_user VALUES (1, $1) ON CONFLICT (one) DO UPDATE SET secret = excluded.secret`
	selectUser  = `SELECT secret FROM seal_user`
	leaveOthers = `UPDATE seal_key SET leaves = CASE WHEN secret <> $1 THEN 1 ELSE 0 END`
)

// maxKeys is how many keys a file can have had.
const maxKeys = 1<<16 - 1

// querier is a connection, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// readKeys reads the keys that a secret opens, and tells how many there are.
func readKeys(ctx context.Context, db querier, s *secret) (_ *ring, all int, err error) {
	rows, err := db.QueryContext(ctx, selectKeys)
	if err != nil {
		return nil, 0, fmt.Errorf("read the keys: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r := newRing()
	for rows.Next() {
		var number uint16
		var print, box []byte
		if err := rows.Scan(&number, &print, &box); err != nil {
			return nil, 0, fmt.Errorf("read the keys: %w", err)
		}
		all++
		if !s.given() || string(print) != string(s.print[:]) {
			continue
		}
		key, err := s.unwrap(number, box)
		if err != nil {
			return nil, 0, fmt.Errorf("open the key %d: %w", number, err)
		}
		if err := r.add(number, key); err != nil {
			return nil, 0, err
		}
	}
	return r, all, rows.Err()
}

// openVault reads the keys of a file. Without a secret that opens them its vault is closed.
func openVault(ctx context.Context, db querier, key platform.Secret) (*vault, error) {
	s, err := newSecret(key)
	if err != nil {
		return nil, err
	}
	r, all, err := readKeys(ctx, db, &s)
	if err != nil {
		return nil, err
	}
	r.closed = all > 0 && r.newest == 0
	v := &vault{secret: s}
	v.ring.Store(r)
	v.load = func() (*ring, error) {
		fresh, _, err := readKeys(context.WithoutCancel(ctx), db, &s)
		return fresh, err
	}
	return v, nil
}

// unlock makes sure that a bot can run on a file: that it opens what is sealed, and has a key when it was given a
// secret. With forget, what does not open is deleted; the statements do that with what one engine alone has.
func unlock(ctx context.Context, db *sql.DB, key platform.Secret, forget bool, statements ...string) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	v, err := openVault(ctx, tx, key)
	if err != nil {
		return err
	}
	shut := v.closed()
	if !shut && v.seals() { // a key of another secret that has taken its place, and that this one does not open
		var newest uint16
		if err := tx.QueryRowContext(ctx, newestKey).Scan(&newest); err != nil {
			return fmt.Errorf("read the keys: %w", err)
		}
		shut = newest != v.ring.Load().newest
	}
	if !shut { //mutate:old-session
		if shut, err = v.shutOut(ctx, tx); err != nil {
			return err
		}
	}
	switch {
	case shut && forget:
		if err := forgetSealed(ctx, tx, statements); err != nil {
			return err
		}
		v.ring.Store(newRing())
	case shut && v.secret.given():
		return ErrSealed
	case shut:
		return ErrNoKey
	}
	if v.secret.given() && v.ring.Load().newest == 0 {
		if _, err := tx.ExecContext(ctx, insertKey, 1, v.secret.print[:], v.secret.wrap(1, newKey()), time.Now().UnixMicro()); err != nil {
			return fmt.Errorf("store a new key: %w", err)
		}
	}
	if v.secret.given() {
		if _, err := tx.ExecContext(ctx, insertUser, v.secret.print[:]); err != nil {
			return fmt.Errorf("note whose key it is: %w", err)
		}
	}
	return tx.Commit()
}

// shutOut tells whether there is a session that was sealed before there were keys, and does not open.
func (v *vault) shutOut(ctx context.Context, db querier) (shut bool, err error) {
	rows, err := db.QueryContext(ctx, oldSessions)
	if err != nil {
		return false, fmt.Errorf("read the sessions: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var account event.Account
		var box []byte
		if err := rows.Scan(&account, &box); err != nil {
			return false, fmt.Errorf("read the sessions: %w", err)
		}
		if _, err := v.secret.openSession(account, box); err != nil {
			return true, nil
		}
	}
	return false, rows.Err()
}
