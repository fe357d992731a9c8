package rules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/handlers/rules/rehearse"
	"github.com/nectar-bot/nectar/handlers/rules/replay"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// tape is a recording, as a bot would have stored it.
type tape struct {
	version *rules.Version
	turns   []record.Recorded
}

// fatal is what a test helper needs of a test, also of a property.
type fatal interface{ Fatal(args ...any) }

func encode(t fatal, value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// recorded stores what came of scenes.
func recorded(t fatal, v *rules.Version, scenes []rehearse.Scene) *tape {
	r := &tape{version: v}
	for i := range scenes {
		r.add(t, &scenes[i])
	}
	return r
}

func (r *tape) add(t fatal, s *rehearse.Scene) {
	d, v, before := &s.Decision, r.version, s.Input.State
	e, turn := s.Trigger.Event, record.Recorded{Facts: recordedFacts(t, s)}
	rec := event.DecisionRecord{
		Route: routeOf(s.Trigger), Outcome: string(d.Outcome), Note: d.Reason, Rule: d.Rule, Version: v.Hash(),
		Before: encode(t, engine.VersionOf(v).KeptState(before, d.Masks)),
	}
	if before.Owner != "" && !strings.HasPrefix(s.Trigger.Timer.Name, bot.OwnedTimer) {
		rec = event.DecisionRecord{Outcome: bot.OutcomeOwned, Note: before.Owner + " has the conversation"}
	}
	if s.Trigger.Kind == event.ByEvent {
		turn.Event = &record.EventRow{Event: e, State: record.EventHandled, HandledAt: s.At, Record: rec}
	} else {
		turn.Turn = &record.TurnRow{Account: s.Trigger.Key.Account, ID: s.Trigger.ID(), Peer: s.Peer, HandledAt: s.At, Record: rec}
	}
	for i, a := range d.Actions {
		turn.Actions = append(turn.Actions, recordedAction(s, i, a))
	}
	r.turns = append(r.turns, turn)
	for i := range r.turns {
		if e := r.turns[i].Event; e != nil && slices.Contains(d.Masks, e.ID) {
			e.Text = "(private)"
		}
	}
}

func routeOf(t event.Trigger) string {
	switch {
	case t.Kind == event.ByEvent:
		return "rules"
	case t.Timer.Name == "owned/rules/nobody":
		return "rules/nobody"
	}
	return "rules/timers"
}

// recordedFacts are the facts that a turn stored.
func recordedFacts(t fatal, s *rehearse.Scene) (facts []event.Fact) {
	kept := maps.Clone(s.Decision.Facts)
	if kept == nil {
		kept = decision.Facts{}
	}
	for name, raw := range s.Input.Facts {
		switch kind, _, _ := strings.Cut(name, ":"); kind {
		case "profile", "follower", "post":
			facts = append(facts, event.Fact{Name: name, Value: raw})
		default:
			kept[name] = raw
		}
	}
	if data := s.Trigger.Timer.Data; len(data) > 0 {
		kept["timer"] = data
	}
	return append(facts, event.Fact{Name: "rules", Value: encode(t, kept)})
}

func recordedAction(s *rehearse.Scene, i int, a decision.Action) event.Action {
	act := event.Action{
		Key: fmt.Sprintf("%s/%s/%d", s.Trigger.ID(), routeOf(s.Trigger), i), Account: s.Trigger.Key.Account, Peer: s.Peer, Verb: a.Verb,
		Text: a.Text, Post: a.Post, Private: a.Private, State: event.StateDone, DecidedAt: s.At, EndedAt: a.Due,
	}
	if !a.Status.Acts() {
		act.State, act.Reason = event.StateWithdrawn, "the rule "+a.Rule+" is on watch"
	}
	return act
}

// replay replays a recording, and returns the exchanges that end otherwise.
func (r *tape) replay(t fatal, v *rules.Version) (replay.ReplayCount, []*replay.Exchange) {
	var changed []*replay.Exchange
	re := replay.NewReplay(nil, v, func(x *replay.Exchange) {
		if x.Change != replay.Same && x.Change != replay.Unseen {
			changed = append(changed, x)
		}
	})
	for _, turn := range r.turns {
		if err := re.Add(turn); err != nil {
			t.Fatal(err)
		}
	}
	re.End()
	return re.Count(), changed
}

// changedReference compiles the reference files, with changes: old and new texts, in turn.
func changedReference(t *testing.T, changes ...string) *rules.Version {
	t.Helper()
	src, err := rules.ReadSources("testdata/reference")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range src {
		src[name] = []byte(strings.NewReplacer(changes...).Replace(string(content)))
	}
	v, report := rules.Compile(src)
	if v == nil {
		t.Fatal(report.Problems)
	}
	return v
}

var toLive = []string{"status: watch ", "status: live ", "status: ask  ", "status: live "}

// By the same files everything ends as it was recorded, and why it ended so is what was decided.
func TestReplayBySameFiles(t *testing.T) {
	t.Parallel()
	versions := []*rules.Version{changedReference(t), changedReference(t, toLive...)}
	rapid.Check(t, func(t *rapid.T) {
		v := versions[rapid.IntRange(0, 1).Draw(t, "live")]
		r := recorded(t, v, happenings(t, v, deeds().Draw(t, "deeds")))
		if count, changed := r.replay(t, v); len(changed) > 0 || count.Failed > 0 || count.Others > 0 {
			t.Errorf("%+v\n%s", count, describe(changed))
		}
		for i := range r.turns {
			x, ok, err := replay.Explain(v, &r.turns[i])
			if err != nil {
				t.Errorf("explain %s: %v", r.turns[i].Trigger(), err)
			}
			if ok && !x.Masked && len(x.Differs) > 0 {
				t.Errorf("explain %s: %v", r.turns[i].Trigger(), x.Differs)
			}
		}
	})
}

// happenings are what comes of what people do, as long as nobody of ours does anything.
func happenings(t *rapid.T, v *rules.Version, todo []deed) (all []rehearse.Scene) {
	r := rehearse.NewRehearsal(v, tuesday)
	for i, d := range todo {
		scenes, err := pass(r, d.wait)
		all = append(all, scenes...)
		if err == nil && d.kind != "" {
			scenes, err = r.Says(r.Guest(d.who), d.kind, d.text, platform.PostID(i+1))
			all = append(all, scenes...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func describe(changed []*replay.Exchange) string {
	var b strings.Builder
	for _, x := range changed {
		fmt.Fprintf(&b, "%s %s", x.Change, x.At)
		for _, e := range x.Events {
			fmt.Fprintf(&b, " %s %q", e.ID, e.Text)
		}
		fmt.Fprintf(&b, "\n  then %v %s %v\n  now  %v %s %v\n", x.RuleThen, x.ReasonThen, x.Then, x.RuleNow, x.ReasonNow, x.Now)
	}
	return b.String()
}

// day records what people do in a rehearsal.
func day(t *testing.T, v *rules.Version, do func(r *streets)) *tape {
	t.Helper()
	s := &streets{t: t, r: rehearse.NewRehearsal(v, tuesday)}
	do(s)
	return recorded(t, v, s.scenes)
}

// streets are where people do something.
type streets struct {
	t      *testing.T
	r      *rehearse.Rehearsal
	scenes []rehearse.Scene
}

func (s *streets) says(who, text string) { s.does(who, event.KindMessage, text, 0) }

func (s *streets) does(who string, kind event.Kind, text string, post platform.PostID) {
	s.t.Helper()
	scenes, err := s.r.Says(s.r.Guest(who), kind, text, post)
	if err != nil {
		s.t.Fatal(err)
	}
	s.scenes = append(s.scenes, scenes...)
}

func (s *streets) pass(d time.Duration) {
	s.t.Helper()
	scenes, err := pass(s.r, d)
	if err != nil {
		s.t.Fatal(err)
	}
	s.scenes = append(s.scenes, scenes...)
}

// changes are the changes in a few words, sorted.
func changes(changed []*replay.Exchange) []string {
	var all []string
	for _, x := range changed {
		said := "silence"
		if len(x.Events) > 0 {
			said = x.Events[len(x.Events)-1].Text
		}
		all = append(all, fmt.Sprintf("%s: %s", x.Change, said))
	}
	slices.Sort(all)
	return all
}

func TestReplayByOtherFiles(t *testing.T) {
	t.Parallel()
	live := changedReference(t, toLive...)
	chat := func(r *streets) {
		r.says("ana", "hey")
		r.says("ana", "when do you open?")
		r.pass(time.Minute)
		r.says("leo", "price?")
		r.pass(time.Minute)
		for i := range 6 {
			r.says(fmt.Sprint("guest", i), "are you open?")
		}
		r.says("mia", "wedding quote")
		r.pass(4 * time.Hour) // and is reminded
		r.does("leo", event.KindMention, "lovely place", 7)
		r.pass(time.Hour)
	}
	for name, c := range map[string]struct {
		recorded *rules.Version
		changes  []string
		want     []string
		count    func(c *replay.ReplayCount) int
		n        int
	}{
		"a text": {
			live,
			[]string{"The small box is 12", "The small box is 14"},
			[]string{"changed: price?"},
			func(c *replay.ReplayCount) int { return c.Changed }, 1,
		},
		"another one of the texts": {
			live, []string{
				`- "Hi {{first_name|there}}! We are open Mon-Fri 9:00-18:30 and Sat 10:00-14:00."`, `- "Hi {{first_name|there}}!"`,
				`- "Hello {{first_name|there}}, our hours are Mon-Fri 9:00-18:30, Sat 10:00-14:00."`,
				`- "Hello {{first_name|there}}, our hours are Mon-Fri 9:00-18:30, Sat 10:00-14:00."` + "\n" +
					`          - "Hi {{first_name|there}}! We are open Mon-Fri 9:00-18:30 and Sat 10:00-14:00."`,
			}, nil, func(c *replay.ReplayCount) int { return c.Same }, 11,
		},
		"another delay":     {live, []string{"reply_after: 4s..15s", "reply_after: 1m..2m"}, nil, func(c *replay.ReplayCount) int { return c.Same }, 11},
		"a longer burst":    {live, []string{"merge_messages: 6s", "merge_messages: 20s"}, nil, func(c *replay.ReplayCount) int { return c.Same }, 11},
		"a later reminder":  {live, []string{"after: 3h", "after: 3h30m"}, nil, func(c *replay.ReplayCount) int { return c.Same }, 11},
		"no reminder":       {live, []string{"after: 3h", "after: 7h"}, []string{"gone: silence"}, func(c *replay.ReplayCount) int { return c.Gone }, 1},
		"a rule is gone":    {live, []string{"any_word: [price, prices, cost, costs]", "any_word: [fee]"}, []string{"gone: price?"}, func(c *replay.ReplayCount) int { return c.Gone }, 1},
		"a word more":       {live, []string{"any_word: [scam, refund, lawyer]", "any_word: [lovely]"}, nil, func(c *replay.ReplayCount) int { return c.Asleep }, 0},
		"from watch":        {changedReference(t), nil, nil, func(c *replay.ReplayCount) int { return c.Awake }, 8},
		"a fact is missing": {live, []string{"text: { any_word: [price,", "sender: { verified: true }\n        text: { any_word: [price,"}, []string{"gone: price?"}, func(c *replay.ReplayCount) int { return c.Unread }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count, changed := day(t, c.recorded, chat).replay(t, changedReference(t, append(c.changes, toLive...)...))
			if diff := cmp.Diff(c.want, changes(changed)); diff != "" {
				t.Errorf("(-want +got)\n%s%s", diff, describe(changed))
			}
			if got := c.count(&count); got != c.n {
				t.Errorf("%d, want %d: %+v", got, c.n, count)
			}
		})
	}
}
