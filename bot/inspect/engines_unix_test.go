//go:build unix

package inspect_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
)

// serverURL returns the URL of a server of a test's own.
func serverURL(t *testing.T) string {
	t.Helper()
	return pgtest.New(t).URL("")
}
