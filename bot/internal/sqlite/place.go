package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Place is where the file of a database was when it was opened. When somebody deletes or moves it then, nobody else can open it any more:
// the bot would go on to store into a file that no name leads to, and that is gone when the bot ends.
type Place struct {
	Path   string // absolute
	opened fileID
}

// PlaceOf returns where a file is that is open.
func PlaceOf(path string) (*Place, error) {
	path, err := filepath.Abs(path) // the working directory may be another one later
	if err != nil {
		return nil, err
	}
	opened, err := idOf(path)
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return &Place{path, opened}, nil
}

// IsLeft reports whether the file is there no more; another one may have taken its place. It opens nothing: to close a file takes away the
// locks of this process on it.
func (p *Place) IsLeft() bool {
	id, err := idOf(p.Path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // of anything else nobody knows
	}
	return id != p.opened
}

// savedSuffix ends the name of a copy that was saved of a database after its file was taken away; all but the first have the time behind it.
const savedSuffix = ".saved"

// Save writes all that is stored into a new file beside where the database was, for its owner alone, and returns its name.
func (p *Place) Save(c *Conn) (string, error) {
	path, err := FileBehind(p.Path)
	if err != nil {
		return "", err
	}
	to := path + savedSuffix
	if _, err := os.Lstat(to); err == nil { // nobody has looked at the last one yet
		to += time.Now().UTC().Format("-20060102T150405.000000")
	}
	part := path + ".saving" // a kill in between leaves nothing that looks whole
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := makeFile(part); err != nil {
		return "", fmt.Errorf("make %s: %w", part, err)
	}
	// All pages of a database of that kind, those in its log included; it goes on from there when it is opened.
	if err := c.Exec("VACUUM INTO '" + strings.ReplaceAll(part, "'", "''") + "'"); err != nil {
		return "", errors.Join(fmt.Errorf("write %s: %w", part, ExplainError(err)), os.Remove(part))
	}
	if err := os.Rename(part, to); err != nil {
		return "", err
	}
	return to, p.emptyLog(c, path)
}

// emptyLog brings the log into the file, wherever that is. SQLite would take a log that lies beside a database for its own, and write the old
// pages into the database that is put here next.
func (p *Place) emptyLog(c *Conn, path string) error {
	err := c.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	if _, missing := os.Lstat(path); !errors.Is(missing, fs.ErrNotExist) {
		return err // these may be another one's
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if rerr := os.Remove(path + suffix); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}

// savedOf returns the last file that was saved of a database that is not at path; "" for none.
func savedOf(path string) string {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	last, when := "", time.Time{}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), base+savedSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && (last == "" || info.ModTime().After(when)) {
			last, when = dir+e.Name(), info.ModTime()
		}
	}
	return last
}

// NotBegunAnew is the error of making a database where one was taken away from a bot, and saved: it would take everything that was said
// for known, and answer nothing of it.
func NotBegunAnew(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	saved := savedOf(path)
	if saved == "" { //mutate:begun-anew
		return nil
	}
	return fmt.Errorf("it is not there, and %s is what a bot had stored when it was taken away: to go on with that, mv %s %s; to begin anew, delete it", saved, saved, path)
}

// LeaveOpen keeps a connection to a file that is not in its place open for as long as the process lives: with the last one SQLite deletes the log by
// its name, which may be that of the database that has come there.
func LeaveOpen(c *Conn) {
	left.Lock()
	defer left.Unlock()
	left.conns = append(left.conns, c)
}

var left struct {
	sync.Mutex // guards the field below
	conns      []*Conn
}
