// Package pgserver starts servers of PostgreSQL of a program's own: for the demo, and for tests.
package pgserver

import "errors"

// ErrNone is the error of a machine without the programs of PostgreSQL.
var ErrNone = errors.New("no initdb and postgres, neither in PATH nor in /usr/lib/postgresql/*/bin: install the package postgresql")

// Options says how a server is.
type Options struct {
	// Careless saves the server the pains that it takes for the case that the machine loses its power.
	Careless bool
}
