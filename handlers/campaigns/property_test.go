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
		r.platform, r.says = shows(a), !a.AccountFacts.Silent
		r.until(end)
		happened := slices.DeleteFunc(r.book, func(v campaigns.Verdict) bool { return !v.Slot.Minute.Before(end) })
		late := func(v campaigns.Verdict) bool { return !v.At.Before(end) } // what waits over the end
		if diff := cmp.Diff(told(slices.DeleteFunc(planned, late)), told(slices.DeleteFunc(happened, late))); diff != "" {
			t.Fatalf("(-planned +happened)\n%s", diff)
		}
	})
}

// Where somebody cuts a plan changes nothing in it, nor does asking twice; and nothing that it was made of has changed.
func TestPlanInParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAccount(t)
		before := stored(t, *a)
		end := drawnStart.Add(30 * day)
		cut := drawnStart.Add(time.Duration(rapid.IntRange(1, 29*24*60).Draw(t, "cut")) * time.Minute)
		whole := slices.Collect(campaigns.Plan(a, drawnStart, time.Time{}, end))
		parts := slices.Collect(campaigns.Plan(a, drawnStart, time.Time{}, cut))
		for v := range campaigns.Plan(a, drawnStart, cut, end) {
			if parts = append(parts, v); v.Slot.Minute.Before(cut) {
				t.Fatalf("%s is told of from %s on", v.Slot.ID, cut)
			}
		}
		if diff := cmp.Diff(told(whole), told(parts)); diff != "" {
			t.Fatalf("cut at %s (-whole +parts)\n%s", cut, diff)
		}
		for _, v := range whole { // each slot by itself is what it is in the plan
			if one, ok := campaigns.Find(a, v.Slot.ID, nil, drawnStart); !ok || line(&one) != line(&v) {
				t.Fatalf("%s in the plan, and by itself %s", line(&v), line(&one))
			}
		}
		if diff := cmp.Diff(before.Memories, stored(t, *a).Memories); diff != "" {
			t.Fatalf("planning has changed something\n%s", diff)
		}
	})
}

// The minutes of a plan are in order, and each slot is in it once.
func TestPlanInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawnAccount(t)
		seen, last := map[campaigns.SlotID]bool{}, time.Time{}
		for v := range campaigns.Plan(a, drawnStart, time.Time{}, drawnStart.Add(30*day)) {
			if seen[v.Slot.ID] || v.At.Before(last) {
				t.Fatalf("%s comes after %s, and was there: %v", line(&v), last, seen[v.Slot.ID])
			}
			seen[v.Slot.ID], last = true, v.At
			if why := v.Why.String(); v.Kind == campaigns.Skip && why == "" || v.Kind.Publishes() && (v.Item == nil || v.At.After(v.Until) || v.At.Before(v.Slot.Minute)) {
				t.Fatalf("%s, until %s", line(&v), v.Until)
			}
		}
	})
}
