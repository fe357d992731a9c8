package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
)

// errSameFile is of a copy that is the database itself.
var errSameFile = errors.New("it is the database itself: name the copy")

// putBack puts a copy in the place of the database and moves the old files aside: nothing is deleted. The caller holds the lock of the
// database. The copy is brought up to date, and marked, before anything is moved, so that a bad copy changes nothing.
func putBack(ctx context.Context, o *Options) (err error) {
	path, err := sqlite.FileBehind(o.Path)
	if err != nil {
		return err
	}
	part := path + ".restoring"
	defer func() {
		if err != nil {
			err = fmt.Errorf("put %s in its place: %w", o.Copy, sqlite.ExplainError(err))
		}
		for _, suffix := range []string{"", "-wal", "-shm", sqlite.LockSuffix, recorder.Suffix} {
			if rerr := os.Remove(part + suffix); !errors.Is(rerr, fs.ErrNotExist) {
				err = errors.Join(err, rerr)
			}
		}
	}()
	if err := copyTo(part, path, o.Copy); err != nil {
		return err
	}
	if err := markCopy(ctx, part, o); err != nil {
		return err
	}
	there, err := os.Stat(path)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if there.Size() == 0 && suffix == "" { // it was made with the lock
			break
		}
		if err := os.Rename(path+suffix, o.Restored.Aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(part, path)
}

// copyTo copies a database, with what its log has of it, into a file for its owner alone.
func copyTo(part, path, from string) error {
	head := make([]byte, sqlite.HeadSize)
	of, err := os.Stat(from)
	if err != nil {
		return err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(of, there) {
		return errSameFile
	}
	for _, suffix := range []string{"", "-wal"} {
		in, err := os.Open(from + suffix) //nolint:gosec // the path is the user's choice
		if errors.Is(err, fs.ErrNotExist) && suffix != "" {
			continue
		}
		if err != nil {
			return err
		}
		out, err := os.OpenFile(part+suffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // it lies beside the database
		if err == nil {
			_, err = io.Copy(out, in)
			if suffix == "" && err == nil {
				_, err = out.ReadAt(head, 0)
			}
			err = errors.Join(err, out.Close())
		}
		if err = errors.Join(err, in.Close()); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		sqlite.GiveToFolder(part + suffix)
	}
	if !sqlite.IsHead(head) {
		return errors.New("it is no database of a bot")
	}
	return nil
}

// markCopy looks whether a copy is whole, brings it up to date, and notes in it that it was put back.
func markCopy(ctx context.Context, part string, o *Options) error {
	db, err := sqlite.OpenDB(part, sqlite.ReadingPragmas(), 1)
	if err != nil {
		return err
	}
	verdict := ""
	err = db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("it is damaged: %s", verdict)
	}
	st, err := Open(ctx, Options{Path: part, Key: o.Key, Machine: o.Machine})
	if err != nil {
		return errors.Unwrap(err) // without the name of a file that nobody knows
	}
	return errors.Join(st.NoteRestored(ctx, *o.Restored), st.Close())
}
