package rules_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// deed is something that a person does, or time that passes.
type deed struct {
	who  string
	kind event.Kind // "" for time
	text string
	wait time.Duration
}

func deeds() *rapid.Generator[[]deed] {
	said := rapid.SampledFrom([]string{
		"hi", "when do you open?", "price", "catering", "wedding quote", "14 June", "hm", "80", "220", "ana@example.org", "yes", "no, wrong",
		"can I talk to a person", "stop", "STOP", "cancel", "scam!", "", "👍", "price price", "what are your opening hours, I want a refund",
	})
	one := rapid.Custom(func(t *rapid.T) deed {
		d := deed{who: rapid.SampledFrom([]string{"ana", "leo", "mia"}).Draw(t, "who")}
		if rapid.IntRange(0, 3).Draw(t, "waits") == 0 {
			d.wait = rapid.SampledFrom([]time.Duration{time.Second, 10 * time.Second, time.Hour, 3 * time.Hour, 25 * time.Hour}).Draw(t, "wait")
			return d
		}
		d.kind = rapid.SampledFrom([]event.Kind{
			event.KindMessage, event.KindMessage, event.KindMessage, event.KindMention, event.KindReply, event.KindRepost, event.KindLike, event.KindFollow,
		}).Draw(t, "kind")
		d.text = said.Draw(t, "text")
		return d
	})
	return rapid.SliceOfN(one, 1, 25)
}

// withOurs puts deeds of our people between those of others.
func withOurs(t *rapid.T, todo []deed) []deed {
	ours := rapid.SampledFrom([]string{"", "", "", "", "(takes over)", "(gives back)", "(approves)", "(refuses)"})
	var all []deed
	for _, d := range todo {
		if what := ours.Draw(t, "ours"); what != "" {
			all = append(all, deed{who: d.who, text: what, wait: time.Second})
		}
		all = append(all, d)
	}
	return all
}

func rehearsed(t *rapid.T, v *rules.Version, todo []deed, explain bool, status decision.Status) []rehearse.Scene {
	r := rehearse.NewRehearsal(v, tuesday)
	r.Explain, r.Status, r.Holds = explain, status, len(todo)%2 == 0
	var all []rehearse.Scene
	for _, d := range todo {
		var scenes []rehearse.Scene
		var err error
		switch d.text {
		case "(takes over)":
			takeOver(r, r.Guest(d.who))
		case "(gives back)":
			giveBack(r.Guest(d.who))
		case "(approves)":
			r.Rule(r.Guest(d.who), true)
		case "(refuses)":
			r.Rule(r.Guest(d.who), false)
		}
		if d.kind == "" {
			scenes, err = pass(r, d.wait)
		} else {
			scenes, err = r.Says(r.Guest(d.who), d.kind, d.text, platform.PostID(len(d.text)+1))
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, scenes...)
	}
	return all
}

// The same happenings lead to the same decisions, also when somebody asks why.
func TestDecisionsRepeat(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	v := compiled(t, src)
	quiet := cmp.Options{cmpopts.IgnoreFields(decision.Decision{}, "Tried"), cmpopts.IgnoreFields(decision.Input{}, "Explain"), cmpopts.EquateEmpty()}
	rapid.Check(t, func(t *rapid.T) {
		todo := withOurs(t, deeds().Draw(t, "deeds"))
		status := rapid.SampledFrom([]decision.Status{"", decision.Live, decision.Ask, decision.Watch}).Draw(t, "status")
		once := rehearsed(t, v, todo, false, status)
		if diff := cmp.Diff(once, rehearsed(t, v, todo, false, status), quiet); diff != "" {
			t.Fatalf("again (-once +again)\n%s", diff)
		}
		if diff := cmp.Diff(once, rehearsed(t, v, todo, true, status), quiet); diff != "" {
			t.Fatalf("explained (-once +explained)\n%s", diff)
		}
		for _, s := range once {
			checkRecorded(t, v, s, quiet)
			checkDecision(t, v, &s.Decision, status)
		}
	})
}

// checkRecorded checks that a decision comes out of what is recorded of it as it did.
func checkRecorded(t *rapid.T, v *rules.Version, s rehearse.Scene, quiet cmp.Option) {
	in := s.Input
	in.Sealed = true
	in.Trigger.Timer.Due = time.Time{} // it is gone once the timer has fired
	in.Facts = maps.Clone(in.Facts)
	maps.Copy(in.Facts, s.Decision.Facts)
	for _, part := range []any{&in.State, &in.Facts} {
		raw, err := json.Marshal(part)
		if err == nil {
			switch p := part.(type) {
			case *decision.State:
				*p = decision.State{}
			case *decision.Facts:
				*p = decision.Facts{}
			}
			err = json.Unmarshal(raw, part)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	d, err := v.Decide(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Decision, d, quiet); diff != "" {
		t.Fatalf("as it was recorded (-first +again)\n%s", diff)
	}
}

// checkDecision checks what holds for every decision.
func checkDecision(t *rapid.T, v *rules.Version, d *decision.Decision, status decision.Status) {
	said := map[string]bool{}
	var last time.Time
	for _, a := range d.Actions {
		if !a.Status.Acts() {
			continue
		}
		if status == decision.Watch {
			t.Errorf("on watch: %+v", a)
		}
		if a.Verb.Makes() {
			said[a.Rule] = true
			if a.Due.Before(last) {
				t.Errorf("said out of order: %+v", d.Actions)
			}
			last = a.Due
		}
	}
	if len(said) > 2 { // a rule that answers in between, and the conversation that asks again
		t.Errorf("%d rules answered: %+v", len(said), d.Actions)
	}
	if status == decision.Watch && (len(d.LimitUses)+len(d.Notices)+len(d.Entries) > 0 || d.Handoff != nil || len(d.State.Labels) > 0 || d.State.Flow.Active()) {
		t.Errorf("on watch, something happened: %+v", d)
	}
	if d.State.Flow.Active() {
		if gone, ours := v.Gone(d.State.Flow.Flow, d.State.Flow.State); gone || !ours {
			t.Errorf("the conversation stands at %+v", d.State.Flow)
		}
	}
}

// FuzzDecide: whatever people write, the engine decides.
func FuzzDecide(f *testing.F) {
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		f.Fatal(err)
	}
	v := compiled(f, src)
	f.Add("catering?", "14 June", "\xff\x00")
	f.Add("{{first_name}}", "&#x1F44D; 80", "31.02.2027")
	f.Fuzz(func(t *testing.T, one, two, three string) {
		r := rehearse.NewRehearsal(v, tuesday)
		r.Status, r.Explain = decision.Live, true
		g := r.Guest("ana")
		for i, said := range []string{one, "catering", two, three, "yes"} {
			kind := event.KindMessage
			if i == 0 {
				kind = event.KindMention
			}
			if _, err := r.Says(g, kind, said, 3); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Quiesce(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
