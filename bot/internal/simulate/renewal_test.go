package simulate_test

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform/emulator"
)

var renewals = flag.Int("renewals", 0, "which of the kill points of a renewal are tried: one of so many, others with each fault; 0 for the usual share")

// mostBoundaries is more than a renewal has.
const mostBoundaries = 240

// A renewal of a campaign, with each fault of one of its calls, in an incarnation that ends at each of its boundaries (before, within and after
// each commit; before each request leaves, once it is handled, and once its answer is there), ends with the post reposted once and
// fresh, and its slots booked.
func TestRenewalAtEachBoundary(t *testing.T) {
	t.Parallel()
	every := cmp.Or(*renewals, usualRenewals())
	slots := make(chan struct{}, 2)
	for i, dialect := range []emulator.NamedDialect{dialects()[0], {Name: "silent", Dialect: emulator.Dialect{Toggle: emulator.ToggleSilent}}} {
		for first := emulator.NoFault; first <= emulator.Late; first++ {
			for second := emulator.NoFault; second <= emulator.Late; second++ {
				if first != emulator.NoFault && second != emulator.NoFault {
					continue
				}
				t.Run(fmt.Sprintf("%s, %v, then %v", dialect.Name, first, second), func(t *testing.T) {
					effort.Case(t)
					slots <- struct{}{}
					defer func() { <-slots }()
					points := 0
					var once sync.Once
					for k := 1 + (i+int(first)+int(second))%every; k < mostBoundaries; k += every {
						p := renewalPlan(dialect, k, first, second)
						r := run(t, &p)
						if len(r.wrong) > 0 {
							t.Errorf("boundary %d: %s", k, strings.Join(r.wrong, "\n"))
							once.Do(func() { t.Log(r.trace) })
						}
						if points++; r.crashes == 0 {
							t.Logf("%d of %d kill points", points-1, k-1)
							return
						}
					}
					t.Error("there is no end of its boundaries")
				})
			}
		}
	}
}

// renewalPlan is a run in which nothing else happens.
func renewalPlan(dialect emulator.NamedDialect, boundary int, first, second emulator.Fault) plan {
	p := plan{
		seed: 1, dialect: dialect, rush: 1, interval: time.Hour, concurrency: 2, faults: emulator.Faults{}, workloads: []string{"renewal"},
	}
	p.faults.Lag = grace - time.Second
	for _, s := range []struct {
		at   time.Duration
		deed string
	}{{time.Minute, "lifts"}, {renewalAfter + 110*time.Second, "arm"}, {renewalAfter + 10*time.Minute, "spare"}} {
		p.steps = append(p.steps, step{at: s.at, deed: visits, workload: "renewal", text: fmt.Sprint(s.deed, " ", boundary, " ", int(first), " ", int(second))})
	}
	return p
}
