package postgres

import (
	"context"
	"database/sql"
	"maps"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// Database is a database as the store knows it.
type Database struct {
	config *pgconn.Config
	state  State
}

var (
	_ remote.Line      = (*Line)(nil)
	_ remote.Statement = (*Statement)(nil)
)

// Parse is ParseURL for the store.
func Parse(url string) (remote.Database, error) {
	config, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	return &Database{config: config}, nil
}

// Name implements remote.Database.
func (d *Database) Name() string { return NameOfConfig(d.config) }

// WithSettings implements remote.Database.
func (d *Database) WithSettings(settings map[string]string) remote.Database {
	config := d.config.Copy()
	maps.Copy(config.RuntimeParams, settings)
	return &Database{config, d.state}
}

// OpenDB implements remote.Database.
func (d *Database) OpenDB(connections int) *sql.DB { return OpenDB(d.config, connections) }

// Line implements remote.Database.
func (d *Database) Line() remote.Line { return &Line{Config: d.config} }

// LookToWrite implements remote.Database.
func (d *Database) LookToWrite(ctx context.Context, db *sql.DB) (locks int64, err error) {
	d.state, err = LookToWrite(ctx, db)
	return d.state.Locks, err
}

// Check implements remote.Database.
func (d *Database) Check(ctx context.Context, db *sql.DB) (locks int64, err error) {
	d.state, err = Check(ctx, db)
	return d.state.Locks, err
}

// TakesWrites implements remote.Database.
func (d *Database) TakesWrites() { takesWrites(d.config) }

// takesWrites lets connections be made only to a server that takes writes, unless the URL has a demand of its own.
func takesWrites(config *pgconn.Config) {
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
}

// Migrate implements remote.Database.
func (d *Database) Migrate(ctx context.Context) error { return Migrate(ctx, d.config, &d.state) }
