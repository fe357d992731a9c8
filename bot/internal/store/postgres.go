package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/platform"
)

// openPostgres opens the store in a database of PostgreSQL, and brings its schema up to date. The path of the options is a URL.
// One process runs on a database for now, as on a file. The errors are those of Open, as far as they are about a server, in
// one line that says nothing of the password.
func openPostgres(ctx context.Context, o Options) (*Database, error) {
	d, err := remote.Parse(o.Path)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Database{}
	s.machine = o.Machine
	if err := s.openServer(ctx, d, o); err != nil {
		if s.leave != nil {
			_ = s.leave() // the first error says it all
		}
		return nil, fmt.Errorf("open %s: %w", d.Name(), remote.ExplainError(err))
	}
	return s, nil
}

func (s *Database) openServer(ctx context.Context, d remote.Database, o Options) (err error) {
	if o.Key == "" {
		return remote.ErrKey
	}
	db := d.OpenDB(readers)
	locks, err := d.LookToWrite(ctx, db)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	d.TakesWrites() // or a server that has become a standby would be spoken to later
	e := &pgEngine{applier: newApplier(), locks: locks, row: o.Fence}
	e.way = e
	if e.row == (Fence{}) {
		e.row = alone
	}
	if e.hasLease() {
		d = d.WithSettings(map[string]string{"application_name": remote.NameOfSeat(locks, o.Fence.Worker, o.Fence.Epoch) + fmt.Sprint(" lane ", o.Fence.Stream)})
	}
	e.line = d.Line()
	watching, leave := context.WithCancel(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	close(watched)
	s.leave = func() (err error) {
		leave()
		<-watched
		if s.Reader != nil {
			err = s.Reader.Close()
		}
		e.line.GiveUp(context.WithoutCancel(ctx))
		return err
	}
	if s.Reader, err = e.ready(ctx, d, db, o); err != nil {
		return errors.Join(err, db.Close())
	}
	if err = s.readProgress(ctx, o.Keep); err != nil {
		return err
	}
	// They are read with the first group, when the row is ours: until then the process that had the database before may still raise them.
	e.keep.keep, e.keep.unread, e.keep.brief = s.kept, true, true
	s.Writer = newWriter(e, e.last, o.Log, o.Around, nil)
	s.seals = e.announceSealing(db, &s.vault.Secret)
	if err := s.seals(ctx, s.vault.Ring.Load().Newest); err != nil {
		return err
	}
	s.startSealer(ctx, o.Log)
	s.engine, watched = e, make(chan struct{})
	go func() { defer close(watched); s.watchServer(watching) }()
	return nil
}

// ready takes the database over, and returns a reader of it.
func (e *pgEngine) ready(ctx context.Context, d remote.Database, db *sql.DB, o Options) (*Reader, error) {
	if err := e.line.Connect(ctx); err != nil {
		return nil, err
	}
	if err := e.line.TakeLock(ctx, e.locks, e.hasLease()); err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := CheckRemains(ctx, db); err != nil {
		return nil, err
	}
	if err := remote.CheckServer(ctx, db, o.Restored); err != nil {
		return nil, err
	}
	if err := seal.UnlockFile(ctx, db, o.Key, o.ForgetSealed, forgetSignIns...); err != nil {
		return nil, err
	}
	r, err := newReader(ctx, db, o.Key)
	if err != nil {
		return nil, err
	}
	r.server = true
	e.vault, e.served = r.vault, &r.served
	// Last of all, since it fences the process that had the database: a start that fails over the key or the schema must not end a bot that works.
	return r, e.start(ctx, o.Machine)
}

// openPostgresReader opens the database at a URL for reading alone; see OpenReader.
func openPostgresReader(ctx context.Context, url string, key platform.Secret) (*Reader, remote.Database, error) {
	d, err := remote.Parse(url)
	if err != nil {
		return nil, nil, fmt.Errorf("read the database: %w", err)
	}
	db := d.OpenDB(readers)
	if _, err = d.Check(ctx, db); err != nil {
		_ = db.Close() // the first error says it all
	} else {
		var r *Reader
		if r, err = newReader(ctx, db, key); err == nil {
			r.server = true
			return r, d, nil
		}
	}
	return nil, nil, fmt.Errorf("read %s: %w", d.Name(), remote.ExplainError(err))
}

// sealsWith notes which key a writer seals with, and which secret it has.
const sealsWith = `INSERT INTO seal_writer (worker, lane, epoch, number, secret) SELECT worker, lane, epoch, $4, $5 FROM fence WHERE worker = $1 AND lane = $2 AND epoch = $3
	ON CONFLICT (worker, lane) DO UPDATE SET epoch = excluded.epoch, number = excluded.number, secret = excluded.secret`

// announceSealing returns what tells others which key the writer seals with.
func (e *pgEngine) announceSealing(db *sql.DB, s *seal.Secret) func(ctx context.Context, key uint16) error {
	worker, sequence, epoch, secret := e.row.Worker, e.row.Stream, e.epoch, s.FingerprintNumber()
	return func(ctx context.Context, key uint16) error {
		if _, err := db.ExecContext(ctx, sealsWith, worker, sequence, epoch, key, secret); err != nil {
			return fmt.Errorf("tell which key is in use: %w", remote.ExplainError(err))
		}
		return nil
	}
}
