//go:build !unix

package store_test

import "testing"

// server is none: only Unix has what the tests need of PostgreSQL.
type server struct{}

func postgres(t testing.TB) *server {
	t.Helper()
	t.Skip("the tests of PostgreSQL are left out on this system")
	return nil
}

func (s *server) schema(t testing.TB) string { t.Helper(); return "" }

func stopPostgres() {}
