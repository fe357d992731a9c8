// Package sqlite is how a file is spoken to: it is found behind its links, locked, migrated, and opened, for the writer by zombiezen.com/go/sqlite
// (Conn, Statement), for all others through database/sql. It knows nothing of what is stored.
package sqlite
