package simulate_test

import (
	"slices"
	"testing"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// shrinkRuns is how many runs the search for a smaller plan may take.
const shrinkRuns = 200

// shrink returns the smallest plan found that fails, too, and what came of it.
func shrink(t *testing.T, p plan, r result) (plan, result) {
	t.Helper()
	runs := 0
	try := func(smaller plan) bool {
		if runs++; runs > shrinkRuns {
			return false
		}
		got := run(t, &smaller)
		if len(got.wrong) == 0 {
			return false
		}
		p, r = smaller, got
		return true
	}
	for _, simpler := range simplifications() {
		smaller := p
		simpler(&smaller)
		try(smaller)
	}
	for i := range slices.Backward(p.workloads) {
		smaller := p
		smaller.workloads = slices.Delete(slices.Clone(p.workloads), i, i+1)
		try(smaller)
	}
	for size := max(1, len(p.steps)/2); ; size /= 2 {
		for from := 0; from < len(p.steps); {
			smaller := p
			smaller.steps = slices.Delete(slices.Clone(p.steps), from, min(from+size, len(p.steps)))
			if !try(smaller) {
				from += size
			}
		}
		for i := range slices.Backward(p.fates) {
			smaller := p
			smaller.fates = slices.Delete(slices.Clone(p.fates), i, i+1)
			try(smaller)
		}
		if size <= 1 || runs > shrinkRuns {
			return p, r
		}
	}
}

// simplifications each leave out one thing that may have nothing to do with the failure.
func simplifications() []func(p *plan) {
	all := []func(p *plan){
		func(p *plan) { p.faults = emulator.Faults{} },
		func(p *plan) { p.fates = nil },
		func(p *plan) { p.stumbles = 0 },
		func(p *plan) { p.unclear = 0 },
		func(p *plan) { p.span = 0 },
		func(p *plan) { p.pace = 0 },
		func(p *plan) { p.rush = 1 },
		func(p *plan) { p.sessionTTL = 0 },
		func(p *plan) {
			if !p.snapshots {
				p.dialect = dialects()[0]
			}
		},
	}
	for _, share := range []func(f *emulator.Faults) *float64{
		func(f *emulator.Faults) *float64 { return &f.CutBefore },
		func(f *emulator.Faults) *float64 { return &f.CutAfter },
		func(f *emulator.Faults) *float64 { return &f.Err500Before },
		func(f *emulator.Faults) *float64 { return &f.Err500After },
		func(f *emulator.Faults) *float64 { return &f.Bad502 },
		func(f *emulator.Faults) *float64 { return &f.Slow },
		func(f *emulator.Faults) *float64 { return &f.Truncated },
		func(f *emulator.Faults) *float64 { return &f.Notice },
		func(f *emulator.Faults) *float64 { return &f.TooMany },
		func(f *emulator.Faults) *float64 { return &f.ExpireEarly },
		func(f *emulator.Faults) *float64 { return &f.Revoke },
		func(f *emulator.Faults) *float64 { return &f.Switched },
	} {
		all = append(all, func(p *plan) { *share(&p.faults) = 0 })
	}
	return all
}
