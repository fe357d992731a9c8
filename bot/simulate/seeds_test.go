package simulate_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	seeds = flag.Uint64("seeds", 500, "how many seeds to simulate")
	first = flag.Uint64("from", 1, "the first of them")
	only  = flag.Uint64("seed", 0, "simulate this seed alone, and print its trace with -v")
)

// Whatever the seed chooses, nothing is lost, doubled, out of order or switched to and fro.
func TestSeeds(t *testing.T) {
	t.Parallel()
	if *only != 0 {
		p := drawPlan(*only)
		r := run(t, &p)
		t.Logf("%v\n%s", &p, r.trace)
		for _, w := range r.wrong {
			t.Error(w)
		}
		return
	}
	var next, crashes, lives atomic.Uint64
	next.Store(*first)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := next.Add(1) - 1; seed < *first+*seeds; seed = next.Add(1) - 1 {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					p := drawPlan(seed)
					r := run(t, &p)
					crashes.Add(uint64(r.crashes))
					lives.Add(uint64(r.lives))
					if len(r.wrong) > 0 {
						t.Errorf("go test ./bot/simulate -run Seeds -seed %d -v\n%s", seed, strings.Join(r.wrong, "\n"))
					}
				})
			}
		})
	}
	wg.Wait()
	t.Logf("%d seeds, %d lives, %d crashes", *seeds, lives.Load(), crashes.Load())
}
