//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"

	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
)

// Server is a server of a test's own.
type Server = pgserver.Server

// New makes a server, and starts it.
func New() (*Server, error) {
	s, err := pgserver.New(pgserver.Options{Careless: true})
	if errors.Is(err, pgserver.ErrNone) {
		err = fmt.Errorf("the tests of PostgreSQL are left out (NECTAR_TEST_PG=required makes that a failure): %w", err)
	}
	return s, err
}

// MayBeMissing reports whether a test may be left out for an error.
func MayBeMissing(err error) bool {
	return errors.Is(err, pgserver.ErrNone) && os.Getenv("NECTAR_TEST_PG") != "required"
}
