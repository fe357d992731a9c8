package campaigns_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// told writes what a plan, or a book, says of each slot, in the order of the slots. What has been approved reads as what is to be.
func told(vs []campaigns.Verdict) []string {
	var all []string
	for _, v := range vs {
		if v.Kind == campaigns.Asks {
			v.Kind = campaigns.Go
		}
		if v.Kind != campaigns.Booked {
			all = append(all, v.Slot.ID.String()+": "+line(&v))
		}
	}
	slices.Sort(all)
	return all
}

// What is planned on the first day is what happens, slot by slot, to the minute, when nothing else happens: although each slot is decided
// at its time, what needs an approval is prepared days before, and memory goes through the store each time.
func TestPlanIsWhatHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAccount(t)
		end := drawnStart.Add(spans(t, "long", 3*day, 10*day, 35*day))
		planned := slices.Collect(campaigns.Plan(a, drawnStart, time.Time{}, end))
		r := newRunner(t, a, drawnStart)
		r.platform, r.says = shows(a), !a.World.Silent
		r.until(end)
		happened := slices.DeleteFunc(r.book, func(v campaigns.Verdict) bool { return !v.Slot.Minute.Before(end) })
		late := func(v campaigns.Verdict) bool { return !v.At.Before(end) } // what waits over the end
		if diff := cmp.Diff(told(slices.DeleteFunc(planned, late)), told(slices.DeleteFunc(happened, late))); diff != "" {
			t.Fatalf("(-planned +happened)\n%s", diff)
		}
	})
}
