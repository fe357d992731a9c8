// Package pgserver (nothing is promised of it) starts servers of PostgreSQL of a program's own: for the demo, and for tests.
package pgserver

import "errors"

// ErrNone is the error of a machine without the programs of PostgreSQL.
var ErrNone = errors.New("no initdb and postgres, neither in PATH nor in /usr/lib/postgresql/*/bin: install the package postgresql")

// ErrNoDisk is the error when the user of the process may not give a server a disk of its own.
var ErrNoDisk = errors.New("a disk of its own takes Linux, and the right to mount it: run it as root")

// Options says how a server is.
type Options struct {
	// Careless saves the server the pains that it takes for the case that the machine loses its power.
	Careless bool
	// Room is how many bytes its disk has, which then is one of its own, in memory; 0 is the disk of this machine. It needs the right to
	// mount one, and Linux: ErrNoDisk is the error where that is missing.
	Room int64
	// Copy is the folder of another server: the new one begins with a copy of its databases, as by pg_dump and pg_restore; "" for none.
	Copy string
}
