package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// A clock that is set back, by minutes or by a day, changes nothing of what comes: what has happened does not happen again, and what
// is still to come comes as the plan of the first day has said.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAccount(t)
		end := drawnStart.Add(10 * day)
		planned := slices.Collect(campaigns.Plan(a, drawnStart, time.Time{}, end))
		r := newRunner(t, a, drawnStart)
		r.platform, r.says = shows(a), !a.AccountFacts.Silent
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			r.until(r.now.Add(time.Duration(rapid.IntRange(1, 3*24*60).Draw(t, "runs")) * time.Minute))
			r.now = later(drawnStart, r.now.Add(-time.Duration(rapid.IntRange(1, 26*60).Draw(t, "back"))*time.Minute))
		}
		r.until(end)
		seen := map[campaigns.SlotID]bool{}
		for _, c := range r.calls {
			if seen[c.slot] {
				t.Fatalf("%s has published twice", c.slot)
			}
			seen[c.slot] = true
		}
		happened := slices.DeleteFunc(r.book, func(v campaigns.Verdict) bool { return !v.Slot.Minute.Before(end) })
		late := func(v campaigns.Verdict) bool { return !v.At.Before(end) } // what waits over the end
		if diff := cmp.Diff(told(slices.DeleteFunc(planned, late)), told(slices.DeleteFunc(happened, late))); diff != "" {
			t.Fatalf("(-planned +happened)\n%s", diff)
		}
	})
}
