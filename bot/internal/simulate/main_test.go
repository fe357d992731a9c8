package simulate_test

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // runs are short, and make much that is soon of no use: a seventh of their time
	goleak.VerifyTestMain(m)
}
