package simulate_test

import (
	"cmp"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

var (
	seeds = flag.Uint64("seeds", 0, "how many seeds to simulate; 0 for the usual number")
	first = flag.Uint64("from", 1, "the first of them")
	only  = flag.Uint64("seed", 0, "simulate this seed alone, and print its trace with -v")
	small = flag.Bool("shrink", true, "look for a smaller run that fails like the first one")
)

// Whatever the seed chooses, nothing is lost, doubled, out of order or switched to and fro.
func TestSeeds(t *testing.T) {
	t.Parallel()
	const first = 50 // .ci/run goes on with those behind them while there is time
	simulate(t, min(usualSeeds(), first), drawPlan)
}

// So it is for somebody whose accounts have campaigns: each slot is published once, in its time, apart, and approved, or it is known why not.
func TestMarketer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	simulate(t, usualSeeds()/20, func(seed uint64) plan { return drawPlanWith(seed, "marketer") })
}

// So it is for somebody who also asks things of the campaigns, whether a bot runs or not.
func TestWisher(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	simulate(t, usualSeeds()/40, func(seed uint64) plan { return drawPlanWith(seed, "wisher") })
}

// So it is for one to four workers that share accounts, whatever befalls them; and nobody acts for an account after another one has taken it.
func TestWorkers(t *testing.T) {
	t.Parallel()
	simulate(t, usualSeeds()/20, drawWorkers)
}

// What these seeds have found stays repaired: events that waited were stored after their account had been given away.
func TestWorkersOnceFound(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	for _, seed := range []uint64{1776, 2512} {
		p := drawWorkers(seed)
		if r := run(t, &p); len(r.wrong) > 0 {
			t.Errorf("go test ./bot/internal/simulate -run TestWorkers -seed %d -v\n%s", seed, strings.Join(r.wrong, "\n"))
		}
	}
}

// simulate runs the plans of seeds, so many unless it is told otherwise.
func simulate(t *testing.T, usual int, draw func(seed uint64) plan) {
	t.Helper()
	if *only != 0 {
		p := draw(*only)
		r := run(t, &p)
		t.Logf("%v\n%s", &p, r.trace)
		for _, w := range r.wrong {
			t.Error(w)
		}
		return
	}
	count := cmp.Or(*seeds, uint64(max(usual, 1)))
	var next, crashes, incarnations atomic.Uint64
	next.Store(*first)
	var once sync.Once
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1) - 1; seed < *first+count; seed = next.Add(1) - 1 {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					p := draw(seed)
					r := run(t, &p)
					crashes.Add(uint64(r.crashes))
					incarnations.Add(uint64(r.incarnations))
					if len(r.wrong) > 0 {
						test, _, _ := strings.Cut(t.Name(), "/")
						t.Errorf("go test ./bot/internal/simulate -run %s -seed %d -v\n%s", test, seed, strings.Join(r.wrong, "\n"))
						once.Do(func() { minimal(t, p, r) })
					}
				})
			}
		})
	}
	wg.Wait()
	t.Logf("%d seeds, %d lives, %d crashes", count, incarnations.Load(), crashes.Load())
}

// minimal prints the smallest run that fails like this one.
func minimal(t *testing.T, p plan, r result) {
	t.Helper()
	if *small {
		p, r = shrink(t, p, r)
		t.Logf("the smallest run found that fails, too: %s\n%v\n%s", strings.Join(r.wrong, "\n"), &p, r.trace)
	}
}
