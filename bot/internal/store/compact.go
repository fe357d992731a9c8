package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
)

// Compact writes the database at path anew, without what was deleted, and clears its log away. Nobody may be at work
// on it. The errors are those of Open, and ErrFilesOnly.
func Compact(ctx context.Context, path string) (err error) {
	if remote.IsURL(path) {
		return fmt.Errorf("compact %s: %w", remote.NameOf(path), record.ErrFilesOnly)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("compact %s: %w", path, sqlite.ExplainFile(path, err))
		}
	}()
	lock, err := sqlite.TakeFile(ctx, path, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	db, err := sqlite.OpenDB(path, sqlite.WritingPragmas(false), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// The log last: VACUUM writes into it, and until it has come into the file, what was deleted still stands there.
	for _, statement := range []string{`VACUUM`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
