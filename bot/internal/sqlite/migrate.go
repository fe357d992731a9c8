package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

//go:embed migrations/*.sql
var migrations embed.FS

const versionTable = "schema_version"

// Migrate brings the schema up to date. Migrations only go forward.
func Migrate(ctx context.Context, db *sql.DB) error {
	// First of all: to look for the version makes a table for it, also in the file of another program.
	if err := checkOwner(ctx, db); err != nil {
		return err
	}
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	switch {
	// A newer version has its reasons for its schema: what this version would write may break what the newer one relies on.
	case have > want:
		return newer(have, want)
	case have == want:
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		if partial, ok := errors.AsType[*goose.PartialError](err); ok {
			err = partial.Err
		}
		return fmt.Errorf("bring the schema from version %d to %d: %w", have, want, err)
	}
	return nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	versions, err := database.NewStore(database.DialectSQLite3, versionTable)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider("", db, files, goose.WithStore(versions), goose.WithDisableGlobalRegistry(true))
}

// CheckVersion reports whether the schema is the one that this program knows, without changing it.
func CheckVersion(ctx context.Context, db *sql.DB) error {
	if err := checkOwner(ctx, db); err != nil {
		return err
	}
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	// Read without goose, which would make its table if there is none: a look must not change anything.
	sources := p.ListSources()
	want := sources[len(sources)-1].Version
	var have int64
	var tables int
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE name = $1`, versionTable).Scan(&tables)
	if err == nil && tables > 0 {
		err = db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM `+versionTable).Scan(&have)
	}
	switch {
	case err != nil:
		return fmt.Errorf("read the schema's version: %w", err)
	case have < want:
		return fmt.Errorf("%w (its schema is %d, this program knows %d)", record.ErrOlder, have, want)
	case have > want:
		return newer(have, want)
	}
	return nil
}

func newer(have, want int64) error {
	return fmt.Errorf("%w (its schema is %d, this program knows %d)", record.ErrNewer, have, want)
}

// applicationID marks a database as ours, for us and for tools like file(1): "Nect".
const applicationID = 0x4e656374

// checkOwner refuses a database of somebody else.
func checkOwner(ctx context.Context, db *sql.DB) error {
	var id, tables int
	err := db.QueryRowContext(ctx, `SELECT application_id, (SELECT count(*) FROM sqlite_schema WHERE type = 'table'
		AND name NOT IN ('`+versionTable+`', 'sqlite_sequence')) FROM pragma_application_id`).Scan(&id, &tables)
	switch {
	case err != nil:
		return fmt.Errorf("look into it: %w", err)
	case tables > 0 && id != applicationID:
		return record.ErrForeign
	}
	return nil
}
