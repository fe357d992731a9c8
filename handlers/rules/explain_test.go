package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
)

// explained returns why the last turn of a recording ended as it did.
func explained(t *testing.T, v *rules.Version, r *tape) replay.Explanation {
	t.Helper()
	x, ok, err := replay.Explain(v, &r.turns[len(r.turns)-1])
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return x
}

func TestExplainNearest(t *testing.T) {
	t.Parallel()
	v := changedReference(t, toLive...)
	for said, want := range map[string]string{
		"how priceless!":               `price-list: none of any_word is there; nearest: "priceless" is not "prices"`,
		"price for wedding":            "",                                             // answered
		"your opening hours, a refund": `opening-hours: none_word "refund"`,            // its words, and one that must not be
		"price, my order, quote":       "",                                             // answered
		"a quote, already ordered":     `catering-lead: none_phrase "already ordered"`, // the phrase that must not be
		"xyz":                          "",                                             // nothing is near
	} {
		x := explained(t, v, day(t, v, func(s *streets) {
			s.says("ana", said)
			s.pass(time.Minute)
		}))
		got := ""
		if x.Nearest != nil {
			got = x.Nearest.Rule + ": " + x.Nearest.Why
		}
		if got != want || len(x.Differs) > 0 || x.Said != said {
			t.Errorf("%q: nearest %q, want %q; %v", said, got, want, x.Differs)
		}
	}
}

func TestExplainLimits(t *testing.T) {
	t.Parallel()
	v := changedReference(t, toLive...)
	x := explained(t, v, day(t, v, func(s *streets) {
		s.says("leo", "are you open?")
		s.pass(time.Minute)
		s.says("ana", "are you open?")
		s.pass(time.Minute)
	}))
	got := map[string]int{}
	for i := range x.Limits {
		got[x.Limits[i].Name()] = x.Limits[i].Before
	}
	if diff := cmp.Diff(map[string]int{"opening-hours/per_person": 0, "opening-hours/total": 1}, got); diff != "" {
		t.Errorf("uses before (-want +got)\n%s", diff)
	}
}

func TestExplainBurst(t *testing.T) {
	t.Parallel()
	v := changedReference(t, toLive...)
	r := day(t, v, func(s *streets) {
		s.says("ana", "hey,")
		s.pass(time.Second)
		s.says("ana", "are you open?")
		s.pass(time.Minute)
	})
	x := explained(t, v, r)
	if x.Said != "hey,\nare you open?" || len(x.Burst()) != 2 {
		t.Errorf("said %q by %v", x.Said, x.Burst())
	}
	last := &r.turns[len(r.turns)-1]
	if !replay.Gathers(last, r.turns[0].Event.ID) || replay.Gathers(last, event.ID{Source: event.Messages, Number: 77}) || replay.Gathers(&r.turns[0], r.turns[0].Event.ID) {
		t.Error("the burst answers its two events, and nothing else")
	}
}

// What a person changed when they approved it is no other decision.
func TestExplainEdited(t *testing.T) {
	t.Parallel()
	v := changedReference(t)
	r := day(t, v, func(s *streets) { s.does("leo", event.KindFollow, "", 0) })
	last := &r.turns[len(r.turns)-1]
	last.Actions[0].Text = "Welcome!"
	if x := explained(t, v, r); len(x.Differs) > 0 {
		t.Errorf("edited: %v", x.Differs)
	}
	last.Actions[0].Verb = event.VerbLike
	if x := explained(t, v, r); len(x.Differs) != 1 || !strings.Contains(x.Differs[0], "an action was like") {
		t.Errorf("another action: %v", x.Differs)
	}
}

// Private answers are in nothing that is shown.
func TestExplainPrivately(t *testing.T) {
	t.Parallel()
	v := changedReference(t, toLive...)
	r := day(t, v, func(s *streets) {
		for _, said := range []string{"wedding quote", "14 June", "80", "ana@example.org", "yes"} {
			s.says("ana", said)
			s.pass(time.Minute)
		}
	})
	for i := range r.turns {
		x, ok, err := replay.Explain(v, &r.turns[i])
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if shown := string(encode(t, x)); strings.Contains(shown, "example.org") {
			t.Errorf("%s shows it: %s", r.turns[i].Trigger(), shown)
		}
	}
}

func TestRestoreNothing(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]record.Recorded{
		"an event of the program": {Event: &record.EventRow{Record: event.DecisionRecord{Route: "greet", Outcome: "handled"}}},
		"a decision":              {Turn: &record.TurnRow{ID: "decision:request/1"}},
	} {
		if _, ok, err := replay.Restore(&r); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	for name, r := range map[string]record.Recorded{
		"no JSON":     {Event: &record.EventRow{Record: event.DecisionRecord{Before: []byte("{")}}},
		"no timer":    {Turn: &record.TurnRow{ID: "timer:1/x", Record: event.DecisionRecord{Before: []byte("{}")}}},
		"a bad facts": {Turn: &record.TurnRow{ID: "timer:1/x/1", Record: event.DecisionRecord{Before: []byte("{}")}}, Facts: []event.Fact{{Name: "rules", Value: []byte("1")}}},
	} {
		if _, _, err := replay.Restore(&r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
