package remote

import (
	"context"
	"database/sql"
	"fmt"
)

// Database is a database on a server, as its URL says where it is.
type Database interface {
	// Name names it, without who uses it and how.
	Name() string
	// WithSettings returns it as connections with other settings have it.
	WithSettings(settings map[string]string) Database
	// OpenDB opens connections to it, for statements that are written for SQLite.
	OpenDB(connections int) *sql.DB
	// Line returns a connection that writes, and is not made yet.
	Line() Line
	// LookToWrite tells what its locks are known by. One that is not ours, or that nobody can write, is an error.
	LookToWrite(ctx context.Context, db *sql.DB) (locks int64, err error)
	// Check is the same for a process that reads: its schema has to be the one that this program knows.
	Check(ctx context.Context, db *sql.DB) (locks int64, err error)
	// TakesWrites lets no connection be made any more, of those that are open either, to a server that only reads.
	TakesWrites()
	// Migrate brings the schema up to date of one that was looked at.
	Migrate(ctx context.Context) error
}

// RestoredKey is the key of the table meta under which it stands that a database has gone back.
const RestoredKey = "restored"

// The server's clock, in microseconds.
const (
	Now   = `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
	Began = `(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`
)

// NameOfSeat is the name of the connections of a worker, by which another one ends those of its board.
func NameOfSeat(locks, worker, epoch int64) string {
	return fmt.Sprintf("nectar %d worker %d epoch %d", locks, worker, epoch)
}
