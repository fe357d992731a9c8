// Package store is the memory of the runtime: events, conversations, actions, timers, limits, facts,
// cursors and sessions, in one SQLite file; or in a database of PostgreSQL (postgres.go), which a URL in place of a path names.
//
// Everything a turn decides is one Write; many writes gather into one database commit (Writer). What
// the platform answered is stored lazily, with any later commit: after a crash an action without its
// answer is in doubt, and reconciled by reading the platform.
//
// One connection writes, others read (Reader), and neither waits for the other. One process runs on a
// file; others may look at it with OpenReader, and ask for something with OpenInspector.
//
// Durability: a write whose receipt came back survives kill -9 always, and loss of power with the
// default synchronous=full (on macOS the file system also needs PRAGMA fullfsync, which is set).
package store
