package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/nectar-bot/nectar/bot/record"
)

// TakeFile locks the file against other processes, or together with others, and makes it with the right mode before SQLite
// would make it with another. A file that exists is not touched: closing it would take away the locks
// that SQLite has on it elsewhere in this process.
func TakeFile(ctx context.Context, path string, together bool) (*flock.Flock, error) {
	path, err := FileBehind(path)
	if err != nil {
		return nil, err
	}
	// Looked at before the lock is taken: the error of the lock's file would say nothing of the database.
	dir, err := os.Stat(filepath.Dir(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("its folder is missing: %w", err)
	case err != nil:
		return nil, fmt.Errorf("look into its folder: %w", err)
	case !dir.IsDir():
		return nil, fmt.Errorf("%s is no folder", filepath.Dir(path))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("it is a directory: name a file")
	}
	if err := NotBegunAnew(path); err != nil {
		return nil, err
	}
	if err := makeFile(path + LockSuffix); err != nil {
		return nil, fmt.Errorf("lock it: %w", err)
	}
	lock, err := takeLock(ctx, path, together)
	if err != nil {
		return nil, err
	}
	// Behind the lock, so that of two that begin at once one makes it; and before SQLite does, with a mode that lets others read what people said.
	if err := makeFile(path); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// makeFile makes a file for its owner alone, unless it is there. A file that root makes is given to the owner of the folder, since the bot runs as that user.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the path is the user's choice
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	giveToFolder(f)
	return f.Close()
}

// FileBehind returns the file that a path leads to, whether it is there or not: SQLite follows links, so that the file
// has to be made where they end, and two names of one database have one lock.
func FileBehind(path string) (string, error) {
	const most = 40 // links in a row, as systems have it
	for range most {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 { //mutate:file-behind
			return path, nil //nolint:nilerr // what is wrong with it shows when it is opened
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // ".." leads up from where the folder really is
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", errors.New("it is a link that leads to no file")
}

// takeLock takes the lock that a process which runs on a database holds. An inspector that looks whether one runs
// holds it for an instant: that is waited for.
func takeLock(ctx context.Context, path string, together bool) (*flock.Flock, error) {
	patience, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	lock := flock.New(path + LockSuffix)
	try := lock.TryLockContext
	if together {
		try = lock.TryRLockContext
	}
	switch ok, err := try(patience, 10*time.Millisecond); {
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), lock.Close())
	case err != nil && !errors.Is(err, context.DeadlineExceeded):
		return nil, errors.Join(fmt.Errorf("lock it: %w", explainDenied(path, err)), lock.Close())
	case !ok:
		return nil, errors.Join(record.ErrInUse, lock.Close())
	}
	return lock, nil
}

// IsTaken reports whether a process runs on a database.
func IsTaken(path string) (bool, error) {
	file, err := FileBehind(path)
	if err != nil {
		return false, fmt.Errorf("look whether a bot runs on %s: %w", path, err)
	}
	if _, err := os.Stat(file + LockSuffix); errors.Is(err, fs.ErrNotExist) {
		return false, nil // a process that runs has made the file first; an inspector leaves nothing behind
	}
	lock := flock.New(file + LockSuffix)
	free, err := lock.TryRLock()
	if err != nil {
		return false, errors.Join(fmt.Errorf("look whether a bot runs on %s: %w", path, explainDenied(file, err)), lock.Close())
	}
	if !free {
		return true, lock.Close()
	}
	return false, lock.Unlock()
}

// HeadSize is how many bytes of a file IsHead wants.
const HeadSize = 72

// IsHead reports whether a file that begins with head, of HeadSize bytes, is a database of a bot, or a copy of one.
func IsHead(head []byte) bool {
	const magic, id = "SQLite format 3\x00", 68 // https://www.sqlite.org/fileformat.html#the_database_header
	return len(head) >= HeadSize && string(head[:len(magic)]) == magic && binary.BigEndian.Uint32(head[id:]) == applicationID
}

// LockSuffix ends the name of the file by which a process locks a database.
const LockSuffix = ".lock"
