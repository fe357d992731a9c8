package store_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// onlyWithAll leaves a test out where a part of what repeats is enough: it takes ten seconds and more, and shows what its relatives show, with
// more processes, or over a worse line.
func onlyWithAll(tb testing.TB) {
	tb.Helper()
	if effort.Few() {
		tb.Skip("it takes very long: NECTAR_TEST=all does not leave it out")
	}
}
