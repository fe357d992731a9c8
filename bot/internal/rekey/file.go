package rekey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Errors of changing the key.
var (
	ErrNothingSealed = errors.New("nothing in it is encrypted yet: set NECTAR_SECRET_KEY, and start the bot")
	ErrSameKey       = errors.New("the new NECTAR_SECRET_KEY is the one that it has")
	ErrOtherRuns     = errors.New("the bot that runs was started with an older NECTAR_SECRET_KEY: restart it with the present one first")
	errManyKeys      = errors.New("it has had as many keys as it can have")
)

// ChangeKey lets another NECTAR_SECRET_KEY take the place of the one that opens what is sealed in the database at
// path, also while a bot runs on it. All is then sealed anew, with a key of the file that the old one will not open: by
// the bot that runs, or by a store that is opened with the new one. Until then both of them open the database, and
// from then on the new one alone. To ask for it again changes nothing. The errors are ErrSealed, ErrNothingSealed,
// ErrSameKey, ErrOtherRuns, ErrFilesOnly, and those of store.OpenReader.
func ChangeKey(ctx context.Context, path string, from, to platform.Secret) (err error) {
	if remote.IsURL(path) {
		return fmt.Errorf("change the key of %s: %w", remote.NameOf(path), record.ErrFilesOnly)
	}
	r, err := store.OpenReader(ctx, path, from) // it looks whether this is a database of ours
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := changeKey(ctx, path, from, to); err != nil {
		return fmt.Errorf("change the key of %s: %w", path, sqlite.ExplainError(err))
	}
	return nil
}

func changeKey(ctx context.Context, path string, from, to platform.Secret) (err error) {
	db, err := sqlite.OpenDB(path, append(sqlite.WritingPragmas(false), "wal_autocheckpoint(0)"), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := store.CheckRemains(ctx, db); err != nil {
		return err
	}
	before, err := seal.NewSecret(from)
	if err != nil {
		return err
	}
	after, err := seal.NewSecret(to)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it does nothing after a commit
	// It writes first: from then on nobody else adds a key.
	if _, err := tx.ExecContext(ctx, `UPDATE seal_key SET leaves = leaves`); err != nil {
		return err
	}
	if done, err := addSecret(ctx, tx, &before, &after); err != nil || done {
		return err
	}
	if runs, err := sqlite.IsTaken(path); err != nil || runs {
		var user []byte
		if err == nil {
			err = tx.QueryRowContext(ctx, seal.SelectUser).Scan(&user)
		}
		if err != nil {
			return err
		}
		if string(user) != string(before.Print[:]) { //mutate:other-runs
			return ErrOtherRuns
		}
	}
	return tx.Commit()
}

// addSecret lets a secret open what another one opens, and a new key besides, and the other one leave; done when that
// was so before.
func addSecret(ctx context.Context, tx seal.Querier, before, after *seal.Secret) (done bool, err error) {
	var newest uint16
	if err := tx.QueryRowContext(ctx, seal.NewestKey).Scan(&newest); err != nil {
		return false, fmt.Errorf("read the keys: %w", err)
	}
	has, _, err := seal.ReadKeys(ctx, tx, before)
	if err != nil {
		return false, err
	}
	gets, _, err := seal.ReadKeys(ctx, tx, after)
	switch {
	case err != nil:
		return false, err
	case newest == 0:
		return false, ErrNothingSealed
	case before.Print == after.Print:
		return false, ErrSameKey
	// It was asked for before, and the fresh key is there. Another one would begin anew with each try.
	case gets.Newest == newest:
		return true, nil
	case has.Newest != newest:
		return false, seal.ErrSealed
	case newest == seal.MaxKeys:
		return false, errManyKeys
	}
	now := time.Now().UnixMicro()
	// Under both secrets. The process that runs has only the old one, and is to seal with the fresh key; the process that starts next has the new one.
	fresh := seal.NewKey()
	if _, err = tx.ExecContext(ctx, seal.InsertKey, newest+1, before.Print[:], before.Wrap(newest+1, fresh), now); err == nil {
		_, err = tx.ExecContext(ctx, seal.InsertKey, newest+1, after.Print[:], after.Wrap(newest+1, fresh), now)
	}
	// And the earlier keys, under the new secret: values that they have sealed are not sealed anew yet.
	for number, key := range has.Plain {
		if err == nil {
			_, err = tx.ExecContext(ctx, seal.InsertKey, number, after.Print[:], after.Wrap(number, key), now)
		}
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, seal.LeaveOthers, after.Print[:])
	}
	if err != nil {
		return false, fmt.Errorf("store the new key: %w", err)
	}
	return false, nil
}
