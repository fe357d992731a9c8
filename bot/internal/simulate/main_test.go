package simulate_test

import (
	"runtime/debug"
	"testing"

	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // runs are short, and make much that is soon of no use: a seventh of their time
	outbox.Strict = true
	goleak.VerifyTestMain(m)
}
