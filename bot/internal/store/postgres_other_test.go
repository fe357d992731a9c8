//go:build !unix

package store_test

import "testing"

// postgreSQL is left out where the tests cannot start a server.
var postgreSQL = engine{
	name: "PostgreSQL",
	fresh: func(t *testing.T, _ way) database {
		t.Helper()
		t.Skip("the tests of PostgreSQL are left out on this system")
		return database{}
	},
	incarnations: func(t *testing.T) func(t tb) incarnations {
		t.Helper()
		t.Skip("the tests of PostgreSQL are left out on this system")
		return nil
	},
}
