package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. Migrations only go forward.
func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	versions, err := database.NewStore(database.DialectSQLite3, "schema_version")
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	p, err := goose.NewProvider("", db, files, goose.WithStore(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("prepare the migrations: %w", err)
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	switch {
	case have > want:
		return fmt.Errorf("%w (its schema is %d, this program knows %d)", ErrNewer, have, want)
	case have == want:
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			err = partial.Err
		}
		return fmt.Errorf("bring the schema from version %d to %d: %w", have, want, err)
	}
	return nil
}
