package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nectar-bot/nectar/bot/internal/recorder"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// Options says how a store is opened.
type Options struct {
	// Path is the file of the database; it is made when it does not exist, for its owner alone. Or it is the URL of a
	// database of PostgreSQL, see remote.IsURL.
	Path string
	// Key encrypts sessions, and what people said. Without one they are stored in a file in the clear; a server takes nothing
	// without one.
	Key platform.Secret
	// ForgetSealed deletes what is encrypted with another key, in place of ErrSealed and ErrNoKey.
	ForgetSealed bool
	// Log takes one line per change of state. Defaults to nothing.
	Log *slog.Logger
	// Fast commits without waiting for the disk: a loss of power may lose the last commits, a crash
	// of the process does not. For tests and trials.
	Fast bool
	// NoBot is for a process that runs no bot. What the last one has left in the file beside the database stays, for the next one that does.
	NoBot bool
	// Fence says for which worker commits are made, on a server that workers share. Without one the process is alone on it. With one
	// several stores of a process may have one file, for simulations: Around then has to keep each from storing anything beside another
	// one, or without its lease.
	Fence Fence
	// Restored is what somebody has said of a database of PostgreSQL that has come to another server; without it the error is ErrOtherServer.
	Restored *record.Restored
	// Copy is a file that takes the place of the database first, which Restored tells, and where what was there goes.
	Copy string
	// Keep is how long rows are kept after their end: events that were handled with their decision records and facts, turns,
	// actions that have ended, notices, and rules. At least 7 days; 0 keeps it for ever.
	Keep time.Duration
	// Around is called with each commit, from the one goroutine that writes: it makes the commit, or
	// returns an error, as a disk would. An error after a commit that was made, or one that is an unclear.Error, is
	// an answer that got lost: it is then called with each look whether the commit is stored, too. For tests that
	// let commits take time, fail, or be the last.
	Around func(commit func() error) error
	// Machine is what the process runs on, as the file beside the database says it, and the ages of what is in doubt. Defaults to what is true.
	Machine recorder.Machine
}

// Database is the store in one file, or on a server.
type Database struct {
	memory
	leave        func() error // closes what is open of a server; nil of a file, as the next one. The three behind that are nil of a server
	engine       *pgEngine
	writes       *fileEngine
	requestProbe *sqlite.RequestProbe
	lock         *flock.Flock
	incarnation  recorder.Incarnation
	recorder     *recorder.Recorder // nil of a server, and of what is only made up
	last         *recorder.Report   // nil: nothing is known of the last incarnation
	folder       string             // where its file lies; "" on a server
	closing      sync.Once
	closeErr     error
}

var _ Store = (*Database)(nil)

// Open opens the store, and brings its schema up to date. The errors are ErrInUse, ErrNewer,
// ErrForeign, MovedError, ArrivingError, or those of the file system and the database with what can be done about them. None of
// them repeats a URL.
func Open(ctx context.Context, o Options) (*Database, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Machine.Steady == nil {
		o.Machine = recorder.ThisMachine()
	}
	if remote.IsURL(o.Path) {
		return openPostgres(ctx, o)
	}
	s := &Database{}
	s.path, s.machine = o.Path, o.Machine
	if err := s.open(ctx, o); err != nil {
		_ = s.closeFiles() // the first error says it all
		return nil, fmt.Errorf("open %s: %w", o.Path, sqlite.ExplainFile(o.Path, err))
	}
	return s, nil
}

func (s *Database) open(ctx context.Context, o Options) (err error) {
	// The lock before anything else: to migrate, or to bring the log into the file, is the business of the one that runs on it.
	if s.lock, err = sqlite.TakeFile(ctx, o.Path, o.Fence != Fence{}); err != nil {
		return err
	}
	if o.Copy != "" {
		if err := putBack(ctx, &o); err != nil {
			return err
		}
	}
	if s.Reader, s.incarnation, err = migrated(ctx, o); err != nil {
		return err
	}
	if err = s.readProgress(ctx, o.Keep); err != nil {
		return err
	}
	if s.writes, err = newFileEngine(o.Path, sqlite.WritingPragmas(o.Fast), s.kept, s.vault); err != nil {
		return err
	}
	s.writes.served, s.writes.long.log = &s.served, o.Log
	s.writes.writer = cmp.Or(o.Fence, alone).Worker
	if s.requestProbe, err = sqlite.NewRequestProbe(o.Path); err != nil {
		return err
	}
	// Where the last process stopped: a number that comes again could not tell a commit that was made from one that was not.
	number, err := s.writes.lastNumber()
	if err != nil {
		return err
	}
	var before *recorder.Report
	switch {
	case o.Fence != Fence{}: // others have the same file
	case o.NoBot:
		before, err = s.leaveRecorder(ctx, &o, number)
	default:
		s.openRecorder(&o, number)
		before = s.recorder.FoundReport()
	}
	if err != nil {
		return err
	}
	s.Writer = newWriter(s.writes, number, o.Log, o.Around, s.recorder)
	s.startSealer(ctx, o.Log)
	if before.IsLater(&s.incarnation, number) { //mutate:careful-found
		return s.NoteRestored(ctx, record.Restored{At: time.Now(), Sign: record.CarefulCopy})
	}
	return nil
}

// migrated brings the schema up to date, counts the start, and opens a reader.
func migrated(ctx context.Context, o Options) (_ *Reader, i recorder.Incarnation, err error) {
	db, err := sqlite.OpenDB(o.Path, sqlite.WritingPragmas(o.Fast), 1)
	if err != nil {
		return nil, i, err
	}
	if err = sqlite.Migrate(ctx, db); err == nil {
		err = CheckRemains(ctx, db)
	}
	if err == nil {
		err = sqlite.KeepLog(ctx, db)
	}
	if err == nil {
		err = seal.UnlockFile(ctx, db, o.Key, o.ForgetSealed)
	}
	if err == nil {
		i, err = countStart(ctx, db, o.NoBot)
	}
	if err != nil {
		_ = db.Close() // the first error says it all
		return nil, i, err
	}
	r, err := openReader(ctx, o.Path, o.Key)
	if cerr := db.Close(); err == nil { // not before: with the last connection SQLite clears the log away
		err = cerr
	}
	return r, i, err
}

// Close stores what is queued and closes the store. Closing it again does nothing.
func (s *Database) Close() error {
	s.closing.Do(func() {
		s.storeQueued()
		if err := s.closeAll(); err != nil {
			s.closeErr = fmt.Errorf("close the store: %w", sqlite.ExplainError(remote.ExplainError(err)))
		}
	})
	return s.closeErr
}

func (s *Database) closeAll() error {
	if s.leave != nil {
		return s.leave()
	}
	return s.closeFiles()
}

// closeFiles closes what is open; the connection that writes comes last and clears the log away.
func (s *Database) closeFiles() error {
	var errs []error
	if s.Reader != nil {
		errs = append(errs, s.Reader.Close())
	}
	if s.requestProbe != nil {
		errs = append(errs, s.requestProbe.Close())
	}
	if s.writes != nil {
		errs = append(errs, s.closeWrites())
	}
	if s.recorder != nil { // behind what is stored last; before the lock, with which another process begins its own
		errs = append(errs, s.recorder.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Unlock())
	}
	return errors.Join(errs...)
}

// closeWrites closes the connection that writes. That the file was taken away is only an error here if Why has not said so before.
func (s *Database) closeWrites() error {
	told := s.Writer != nil && s.Err() != nil
	err := s.writes.closeInPlace()
	if _, taken := errors.AsType[*takenError](err); taken && told {
		return nil
	}
	return err
}
