//go:build !race

package campaigns_test

import (
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// With the race detector nothing of this is told: it is one goroutine, for half a minute.

// The slots of every zone over three years are those that somebody finds who walks through these years with an eye on the clock on
// the wall: hour by hour, and minute by minute where clocks change.
func TestSlotsOfEveryZone(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	names, step := zoneNames(t), 1
	if effort.Few() {
		step = 20
	}
	from, to := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2029, 6, 1, 0, 0, 0, 0, time.UTC)
	changes := 0
	for i := 0; i < len(names); i += step {
		loc, err := time.LoadLocation(names[i])
		if err != nil {
			t.Fatal(err)
		}
		changes += walked(t, loc, from, to)
	}
	if changes < len(names)/step { // some zones change twice a year
		t.Errorf("only %d changes of clocks", changes)
	}
}
