//go:build unix

package inspect_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
)

// serverURL returns the URL of a server of a test's own.
func serverURL(t *testing.T) string {
	t.Helper()
	s, err := pgtest.New()
	switch {
	case err == nil:
		t.Cleanup(s.Stop)
	case pgtest.MayBeMissing(err):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
	return s.URL("")
}
