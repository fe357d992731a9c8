package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver

	"github.com/nectar-bot/nectar/platform"
)

// Options says how a store is opened.
type Options struct {
	// Path is the file of the database; it is made when it does not exist, for its owner alone.
	Path string
	// Key encrypts the sessions. Without one they are stored in the clear.
	Key platform.Secret
	// Log takes one line per change of state. Defaults to nothing.
	Log *slog.Logger
	// Fast commits without waiting for the disk: a loss of power may lose the last commits, a crash
	// of the process does not. For tests and trials.
	Fast bool
	// CommitTime simulates the time that a commit takes, for tests with a clock of their own.
	CommitTime func() time.Duration
}

// Errors of opening that a person can do something about.
var (
	ErrInUse = errors.New("another process runs on this database: stop it first, or give this one a database of its own")
	ErrNewer = errors.New("the database was written by a newer version: run that version, or start with a new file")
)

// SQLite is the store in one file.
type SQLite struct {
	*Writer
	reads    *sql.DB
	writes   *sql.DB
	lock     *flock.Flock
	cipher   cipher
	position atomic.Int64
}

var _ Store = (*SQLite)(nil)

// Open opens the store, and brings its schema up to date. The errors are ErrInUse, ErrNewer, or those
// of the file system with what was being done.
func Open(ctx context.Context, o Options) (*SQLite, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := prepareFile(o.Path); err != nil {
		return nil, err
	}
	lock := flock.New(o.Path + ".lock")
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", o.Path, err)
	}
	if !ok {
		return nil, fmt.Errorf("open %s: %w", o.Path, ErrInUse)
	}
	s, err := open(ctx, o)
	if err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("open %s: %w", o.Path, err)
	}
	s.lock = lock
	return s, nil
}

// prepareFile makes the file with the right mode before SQLite would make it with another.
func prepareFile(path string) error {
	if dir := filepath.Dir(path); dir != "." {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("open the database %s: its folder is missing: %w", path, err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return f.Close()
}

func dsn(o Options, readOnly bool) string {
	sync := "FULL"
	if o.Fast {
		sync = "NORMAL"
	}
	q := url.Values{"_pragma": {
		"journal_mode(WAL)", "synchronous(" + sync + ")", "busy_timeout(5000)", "foreign_keys(1)",
		"fullfsync(1)", "checkpoint_fullfsync(1)", "cache_size(-16000)", "temp_store(MEMORY)", "wal_autocheckpoint(4000)",
	}}
	if readOnly {
		q.Add("_pragma", "query_only(1)")
	}
	return "file:" + (&url.URL{Path: o.Path}).EscapedPath() + "?" + q.Encode()
}

func open(ctx context.Context, o Options) (_ *SQLite, err error) {
	s := &SQLite{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeFiles())
		}
	}()
	if s.cipher, err = newCipher(o.Key); err != nil {
		return nil, err
	}
	if s.writes, err = sql.Open("sqlite", dsn(o, false)); err != nil {
		return nil, err
	}
	s.writes.SetMaxOpenConns(1)
	if err := migrate(ctx, s.writes); err != nil {
		return nil, err
	}
	if s.reads, err = sql.Open("sqlite", dsn(o, true)); err != nil {
		return nil, err
	}
	s.reads.SetMaxOpenConns(2)
	var last sql.NullInt64
	err = s.reads.QueryRowContext(ctx, `SELECT max(position) FROM action WHERE state IN ('due', 'sending', 'unsure', 'held')`).Scan(&last)
	if err != nil {
		return nil, fmt.Errorf("read the last position: %w", err)
	}
	s.position.Store(max(last.Int64, time.Now().UnixMicro()))
	e, err := newApplier(ctx, s.writes)
	if err != nil {
		return nil, err
	}
	s.Writer = newWriter(e, o.Log, o.CommitTime)
	return s, nil
}

// Position returns the next place in the order of release.
func (s *SQLite) Position() int64 { return s.position.Add(1) }

// Close stores what is queued and closes the store.
func (s *SQLite) Close() error {
	s.close()
	err := s.closeFiles()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Unlock())
	}
	if err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return nil
}

func (s *SQLite) closeFiles() error {
	var errs []error
	for _, db := range []*sql.DB{s.reads, s.writes} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// micros and moment convert between times and stored numbers: microseconds, 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us)
}
