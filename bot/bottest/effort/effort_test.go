package effort_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// A part is a part, and all is all: but not with the race detector, nor with -short.
func TestParts(t *testing.T) {
	part, least := 10, effort.Racing || testing.Short()
	if least {
		part = 2
	}
	for env, few := range map[string]bool{"": true, "all": least} {
		t.Setenv("NECTAR_TEST", env)
		if effort.Few() != few {
			t.Errorf("with %q few are enough: %v", env, !few)
		}
		sampled, some := 0, 0
		for n := range 50 {
			sampled += count(effort.Sampled(n))
			some += count(effort.Some(fmt.Sprint(n)))
		}
		if all := sampled == 50 && some == 50; all == few || few && (sampled != part || some == 0 || some > 30) {
			t.Errorf("with %q, of 50 cases %d are sampled, and %d are some", env, sampled, some)
		}
	}
}

func count(chosen bool) int {
	if chosen {
		return 1
	}
	return 0
}

// Where few are enough, a part of a table runs, the same in whatever order its cases come, but never none of it; otherwise all of it runs.
func TestCases(t *testing.T) {
	for env, most := range map[string]int{"": 7, "all": 10} { // of ten
		t.Run(env, func(t *testing.T) {
			t.Setenv("NECTAR_TEST", env)
			if effort.Racing || testing.Short() {
				most = 3
			}
			casesRun(t, most)
		})
	}
}

func casesRun(t *testing.T, most int) {
	t.Helper()
	for _, size := range []int{1, 2, 10, 100} {
		var ran [2]atomic.Int64
		names := make([]int, size)
		for n := range names {
			names[n] = n
		}
		for turn := range ran {
			t.Run(fmt.Sprint(size, " cases"), func(t *testing.T) { // Go calls the second one otherwise
				for _, n := range names {
					t.Run(fmt.Sprint(n), func(t *testing.T) {
						effort.Case(t)
						ran[turn].Add(1)
					})
				}
			})
			slices.Reverse(names)
		}
		for turn := range ran {
			switch n := int(ran[turn].Load()); {
			case n == 0, most == 10 && n != size, n > max(1, (size*most+9)/10):
				t.Errorf("of %d cases %d have run", size, n)
			}
		}
	}
}
