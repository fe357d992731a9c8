//go:build unix

package pgtest

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
)

// shared is the server of all tests of a package that neither kill nor fill it. It is started when the first of them wants it.
var shared struct {
	once   sync.Once
	server *pgserver.Server // nil: it could not be started
	err    error
}

// New starts a server of a test's own, which it may kill. It ends with the test. -short leaves the test out.
func New(tb testing.TB) *pgserver.Server {
	tb.Helper()
	notShort(tb)
	s, err := start()
	need(tb, err)
	tb.Cleanup(s.Stop)
	return s
}

// Shared returns the one server of all tests of a package; TestMain of that package calls Stop. -short leaves the test out.
func Shared(tb testing.TB) *pgserver.Server {
	tb.Helper()
	notShort(tb)
	shared.once.Do(func() { shared.server, shared.err = start() })
	need(tb, shared.err)
	return shared.server
}

// Stop ends what Shared has started.
func Stop() {
	if shared.server != nil {
		shared.server.Stop()
	}
}

func start() (*pgserver.Server, error) { return pgserver.New(pgserver.Options{Careless: true}) }

// notShort leaves a test out of -short: a server takes seconds to begin.
func notShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it needs a server: -short leaves it out")
	}
}

// need leaves a test out where PostgreSQL is missing.
func need(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case errors.Is(err, pgserver.ErrNone) && os.Getenv("NECTAR_TEST_PG") != "required":
		tb.Skipf("the tests of PostgreSQL are left out (NECTAR_TEST_PG=required makes that a failure): %v", err)
	case err != nil:
		tb.Fatal(err)
	}
}
