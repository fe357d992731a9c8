//go:build !unix

package inspect_test

import "testing"

// serverURL leaves a test out: its server needs Unix.
func serverURL(t *testing.T) string {
	t.Helper()
	t.Skip("servers of PostgreSQL are started on Unix alone")
	return ""
}
