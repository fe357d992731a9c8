package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versionTable is where the version of the schema stands.
const versionTable = "schema_version"

// leastServer is the oldest version of PostgreSQL that does.
const leastServer = 15

// What of the errors of opening is about a file, in words about a server.
var (
	errNewer    = &worded{"the database was written by a newer version: run that version, or name another database", record.ErrNewer}
	ErrNone     = &worded{"there is none yet: start the bot once, or name another database", record.ErrNone}
	errForeign  = &worded{"it holds tables of another program: name another database, or a schema of its own with search_path in the URL", record.ErrForeign}
	errHalf     = errors.New("its tables are not complete, since something was changed by hand or a copy was put back in part: put a whole copy back, or name an empty database")
	errStandby  = errors.New("it is a standby, which only reads: name the primary one")
	errReads    = errors.New("the database only reads: see default_transaction_read_only of it and of this user; some who look after databases set it when a disk is full")
	errEncoding = errors.New("its encoding is not UTF8: make it with createdb --encoding=UTF8 --template=template0")
	errNoSchema = errors.New("none of the schemas of its search_path is there, or this user may not use it: make one with CREATE SCHEMA")
	errNoTables = errors.New("this user may not make tables in it: let the owner of the database run nectar migrate, or make it the owner")
)

// State is what a database is like.
type State struct {
	schema string
	Locks  int64 // what its locks are known by
	Empty  bool
	have   int64 // the version of its schema
	makes  bool  // the user may make tables
	reads  bool  // it only reads
}

const (
	selectServer = `SELECT pg_is_in_recovery()::int, current_setting('server_version_num')::int, current_setting('server_encoding'),
		coalesce(current_schema(), ''), coalesce(hashtext(current_schema()), 0), (current_setting('default_transaction_read_only') = 'on')::int`
	selectTables = `SELECT count(*) FILTER (WHERE relname <> '` + versionTable + `'), count(*) FILTER (WHERE relname = 'meta'),
		count(*) FILTER (WHERE relname = '` + versionTable + `'), has_schema_privilege(current_schema(), 'CREATE')::int
		FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
			AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')` // an extension's
	selectProgram       = `SELECT count(*) FROM meta WHERE key = 'program' AND value = 'nectar'`
	selectSchemaVersion = `SELECT coalesce(max(version_id), 0) FROM ` + versionTable
)

// ReadState tells what a database is like. One that is not ours, or that nobody can write, is an error.
func ReadState(ctx context.Context, db *sql.DB) (s State, err error) {
	var standby, version, tables, meta, versions int
	var encoding string
	err = db.QueryRowContext(ctx, selectServer).Scan(&standby, &version, &encoding, &s.schema, &s.Locks, &s.reads)
	switch {
	case err != nil:
		return s, fmt.Errorf("look at the server: %w", err)
	case version < leastServer*10000:
		return s, fmt.Errorf("the server is PostgreSQL %d, and %d is the oldest that does", version/10000, leastServer)
	case encoding != "UTF8":
		return s, errEncoding
	case standby != 0:
		return s, errStandby
	case s.schema == "":
		return s, errNoSchema
	}
	if err := db.QueryRowContext(ctx, selectTables).Scan(&tables, &meta, &versions, &s.makes); err != nil {
		return s, fmt.Errorf("look into it: %w", err)
	}
	if s.Empty = tables == 0; s.Empty {
		return s, nil
	}
	ours := 0
	if meta > 0 {
		if err := db.QueryRowContext(ctx, selectProgram).Scan(&ours); err != nil && codeOf(err) != "42703" { // it has no such column
			return s, fmt.Errorf("look whose it is: %w", err)
		}
	}
	switch {
	case ours == 0:
		return s, errForeign
	case versions == 0:
		return s, errHalf
	}
	if err := db.QueryRowContext(ctx, selectSchemaVersion).Scan(&s.have); err != nil {
		return s, fmt.Errorf("read the schema's version: %w", err)
	}
	if s.have == 0 {
		return s, errHalf
	}
	return s, nil
}

// LookToWrite is Look for a process that writes: a server that only reads is an error, too.
func LookToWrite(ctx context.Context, db *sql.DB) (State, error) {
	s, err := ReadState(ctx, db)
	if err == nil && s.reads {
		err = errReads
	}
	return s, err
}

// Migrate brings the schema up to date. Migrations only go forward, each in a transaction of its own; another process
// that does the same is waited for.
func Migrate(ctx context.Context, config *pgconn.Config, s *State) (err error) {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0" // what waits for a lock is bounded, and not how long it works
	db := OpenDB(config, 1)
	defer func() { err = errors.Join(err, db.Close()) }()
	p, err := provider(db, s)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	want := lastVersion(p)
	switch {
	case s.have > want:
		return fmt.Errorf("%w (its schema is %d, this program knows %d)", errNewer, s.have, want)
	case s.have == want:
		return nil
	case !s.makes:
		return errNoTables
	}
	if _, err := p.Up(ctx); err != nil {
		if partial, ok := errors.AsType[*goose.PartialError](err); ok {
			err = partial.Err
		}
		return fmt.Errorf("bring the schema from version %d to %d: %w", s.have, want, err)
	}
	return nil
}

func provider(db *sql.DB, s *State) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	versions, err := database.NewStore(database.DialectPostgres, versionTable)
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(int64(LockClass)<<32|int64(uint32(s.Locks))), lock.WithLockTimeout(1, 30))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider("", db, files, goose.WithStore(versions), goose.WithDisableGlobalRegistry(true), goose.WithSessionLocker(locker))
}

func lastVersion(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

// Check reports whether the schema is the one that this program knows, without changing it.
func Check(ctx context.Context, db *sql.DB) (s State, err error) {
	if s, err = ReadState(ctx, db); err != nil {
		return s, err
	}
	p, err := provider(db, &s)
	if err != nil {
		return s, fmt.Errorf("prepare the migrations: %w", err)
	}
	switch want := lastVersion(p); {
	case s.Empty:
		return s, ErrNone
	case s.have < want:
		return s, fmt.Errorf("%w (its schema is %d, this program knows %d)", record.ErrOlder, s.have, want)
	case s.have > want:
		return s, fmt.Errorf("%w (its schema is %d, this program knows %d)", errNewer, s.have, want)
	}
	return s, nil
}
