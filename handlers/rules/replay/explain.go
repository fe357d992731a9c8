package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

// Restore returns the input of a turn as it was stored: deciding it again with the same version, explaining
// and with nothing more to be read, shows why the turn ended as it did. It returns false for a turn that
// rules did not decide, or of which nothing is kept any more. The error says what cannot be read.
func Restore(r *record.Recorded) (decision.Input, bool, error) {
	before := recordIn(r).Before
	if before == nil {
		return decision.Input{}, false, nil
	}
	in := decision.Input{Explain: true, Sealed: true}
	err := engine.ReadState(before, &in.State)
	if err == nil {
		in.Facts, err = engine.FactsOf(r.Facts)
	}
	if err == nil {
		in.Trigger, err = restoreTrigger(r, in.Facts)
	}
	if err != nil {
		return in, false, fmt.Errorf("read what was kept of %s: %w", r.Trigger(), err)
	}
	in.Now = handledAt(r)
	return in, true, nil
}

// recordIn returns the decision record of a stored turn.
func recordIn(r *record.Recorded) *event.DecisionRecord {
	if r.Event != nil {
		return &r.Event.Record
	}
	return &r.Turn.Record
}

// handledAt returns when a stored turn was handled.
func handledAt(r *record.Recorded) time.Time {
	if r.Event != nil {
		return r.Event.HandledAt
	}
	return r.Turn.HandledAt
}

// restoreTrigger returns what started a stored turn.
func restoreTrigger(r *record.Recorded, facts decision.Facts) (event.Trigger, error) {
	if r.Event != nil {
		e := restoreEvent(r.Event, facts)
		return event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e, Late: r.Event.Late}, nil
	}
	t, err := event.ParseTimer(r.Turn.ID)
	t.Key, t.Data = event.Key{Account: r.Turn.Account, Peer: r.Turn.Peer}, facts[engine.FactTimer]
	return event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t, Late: facts[engine.FactLate] != nil}, err //mutate:timer-late
}

// restoreEvent returns a stored event as its turn saw it: with the text of the post that was read for it.
func restoreEvent(row *record.EventRow, facts decision.Facts) event.Event {
	e := row.Event
	var post platform.Post
	if e.Text == "" && (e.Kind == event.KindMention || e.Kind == event.KindReply) && json.Unmarshal(facts[engine.NeedPost(e.Post).Name], &post) == nil {
		e.Text = post.Text
	}
	return e
}

// Explanation says why a stored turn ended as it did.
type Explanation struct {
	Input    decision.Input
	Decision decision.Decision // what is decided when the turn runs again, with State and texts as they may be shown
	Said     string            // what was answered: the text of the event, or of the whole burst
	Limits   []Use
	Nearest  *decision.Tried // the rule that came nearest, when none answered; nil when none did
	Differs  []string        // what was decided otherwise at that time, in words; nil when both are the same
	Masked   bool            // a text that the turn depended on is not kept
	Private  bool            // what was said waits to be read as a private answer: it is not to be shown
}

// Use is a use of a limit by a turn.
type Use struct {
	event.LimitUse
	Before int  // uses before it
	Known  bool // whether Before is known
	Later  bool // it counts when a person approves the action
}

// Explain decides a stored turn again, and says why it ended as it did. The version has to be the one that
// the turn names. It returns false like Recall.
func Explain(v *rules.Version, r *record.Recorded) (Explanation, bool, error) {
	in, ok, err := Restore(r)
	if !ok || err != nil {
		return Explanation{}, false, err
	}
	d, err := v.Decide(in)
	if err != nil {
		return Explanation{}, false, fmt.Errorf("decide %s again: %w", r.Trigger(), err)
	}
	x := Explanation{Input: in, Decision: d, Said: engine.SaidIn(&in)}
	x.Masked = strings.Contains(x.Said, decision.Masked) && (engine.IsMasked(x.Said) || in.Trigger.Kind == event.ByTimer)
	if _, step := engine.VersionOf(v).StepOf(&in.State); step != nil && step.Private && d.Outcome == decision.Gathering {
		x.Said, x.Private = decision.Masked, true
	}
	x.Differs = differsFrom(v, r, &d)
	x.Limits = limitUses(&d, in.Facts)
	for i := range x.Decision.Tried {
		completeReason(v, &x.Decision.Tried[i], x.Said)
		x.Decision.Tried[i].Near = !x.Decision.Tried[i].Matched && nearnessOf(v, x.Decision.Tried[i].Rule, x.Said) != notNear
	}
	if !answersIn(v, &d) {
		x.Nearest = nearestOf(v, x.Decision.Tried, x.Said)
	}
	x.Decision.State = d.State.Masked()
	for i := range x.Decision.Actions {
		if a := &x.Decision.Actions[i]; a.Private {
			a.Text = decision.Masked
		}
	}
	return x, true, nil
}

// answersIn reports whether a rule or a conversation answers, or is silent in the place of an answer.
func answersIn(v *rules.Version, d *decision.Decision) bool {
	switch d.Outcome {
	case decision.Unmatched, decision.Watched:
		return false
	case decision.Acted, decision.Prepared:
		return slices.ContainsFunc(d.Actions, func(a decision.Action) bool { return a.Verb.Makes() }) || d.Step != "" || slices.ContainsFunc(d.Tried, func(t decision.Tried) bool { return t.Won })
	case decision.HeldBack, decision.OnPause:
		r := engine.VersionOf(v).ByID[d.Rule]
		return r == nil || r.Answers
	default:
		return true
	}
}

// Burst returns the events that the turn answers as one; nil when it is not the turn of a burst.
func (x *Explanation) Burst() []event.ID {
	return burstOf(&x.Input)
}

func burstOf(in *decision.Input) []event.ID {
	if b := in.State.Memory.Burst; b != nil && in.Trigger.Kind == event.ByTimer && in.Trigger.Timer.Name == engine.TimerBurst {
		return b.Events
	}
	return nil
}

// Gathers reports whether a stored turn is the one that answers an event which was gathered.
func Gathers(r *record.Recorded, id event.ID) bool {
	if r.Turn == nil {
		return false
	}
	in, ok, err := Restore(r)
	return err == nil && ok && slices.Contains(burstOf(&in), id)
}

// limitUses returns the uses of limits that a decision takes.
func limitUses(d *decision.Decision, facts decision.Facts) []Use {
	var uses []Use
	add := func(limitUses []event.LimitUse, later bool) {
		for _, c := range limitUses {
			u := Use{LimitUse: c, Later: later}
			raw, ok := facts[engine.NeedUses(c).Name]
			u.Known = ok && json.Unmarshal(raw, &u.Before) == nil
			uses = append(uses, u)
		}
	}
	add(d.LimitUses, false)
	for i := range d.Actions {
		add(d.Actions[i].LimitUses, true)
	}
	return uses
}

// Name returns the name of the limit as rule files have it: "opening-hours/per_person".
func (u *Use) Name() string { return strings.TrimPrefix(u.Limit, engine.LimitPrefix) }

// Ours reports whether a route is one of a Handler's.
func Ours(route string) bool {
	return route == engine.RouteName || route == engine.RouteTimers || route == engine.RouteNobody
}
