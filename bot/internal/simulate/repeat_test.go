package simulate_test

import (
	"slices"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// A run repeats exactly, whatever the scheduler does: each call, commit and crash at the same
// nanosecond. Nobody takes the account away: all of it ends at one instant then, in any order. None of these seeds has somebody who is forgotten: whether SQLite can empty its log then depends on who reads at that
// moment, by the real clock, and is tried again.
func TestRepeats(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	for seed, times := range map[uint64]int{
		7: usualRepeats(), 11: 2, 30: 2, 80: 2,
		9: 2, 47: 2, // with rules
		98: 2, 110: 2, // with a second account
		13: 2, 19: 2, 25: 2, // with a rewriter; a decider and a rewriter; a quitter
		4: 2, 8: 2, // with commits that have no clear end
		112: 2, // with a caretaker alone
	} {
		if (racing || testing.Short()) && seed != 13 { // one is enough; 9 repeats nearly, where the detector slows it
			continue
		}
		if effort.Few() && !slices.Contains([]uint64{7, 9, 98, 13, 4}, seed) { // one of each kind
			continue
		}
		p := drawPlan(seed)
		if seed == 112 {
			p = drawPlanWith(seed, "caretaker")
		}
		p.workloads = slices.DeleteFunc(p.workloads, func(name string) bool { return name == "commuter" })
		p.span = 0 // of short incarnations a run repeats nearly, not exactly
		want := run(t, &p).trace
		for range times - 1 {
			if got := run(t, &p).trace; got != want {
				t.Errorf("seed %d: %s", seed, firstDifference(want, got))
				break
			}
		}
	}
}
