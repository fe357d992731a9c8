package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/record"
)

// Compact writes the database at path anew, without what was deleted, and clears its log away. Nobody may be at work
// on it. The errors are those of Open, and ErrFilesOnly.
func Compact(ctx context.Context, path string) (err error) {
	if IsPostgres(path) {
		return fmt.Errorf("compact %s: %w", NameOf(path), record.ErrFilesOnly)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("compact %s: %w", path, explain(err))
		}
	}()
	lock, err := takeFile(ctx, path, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	db, err := openDB(path, writing(Options{}), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, statement := range []string{`VACUUM`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
