package engine

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

// memoryValue is the name of the value of a conversation that holds the engine's Memory.
const memoryValue = "rules/memory"

// beginBundle begins a bundle: what is done from now on waits for another approval than what was done before.
func (d *decider) beginBundle() { d.bundle = -1 }

// currentBundle returns the bundle of what is being done.
func (d *decider) currentBundle() *decision.Bundle {
	if d.bundle < 0 {
		within := d.at.answerWithin
		expires := d.now.Add(within)
		// Counted from when they may have written, as long as that leaves any time: it is since then that they wait.
		if age := d.event.Age(d.now); age < within && !d.in.Trigger.Late {
			expires = d.now.Add(within - age)
		}
		d.bundle = len(d.out.Bundles)
		d.out.Bundles = append(d.out.Bundles, decision.Bundle{Rule: d.at.id, Within: within, Expires: expires})
	}
	return &d.out.Bundles[d.bundle]
}

// waiting returns what happens with an approval; nil when what is done happens at once.
func (d *decider) waiting() *event.Effects {
	if d.status != decision.Ask || d.dry {
		return nil
	}
	return &d.currentBundle().Effects
}

// joinBundle lets what is being done wait with the message that its answer was added to, when that waits. status is that of
// the answer: what a live rule does beside it happens at once.
func (d *decider) joinBundle(status decision.Status) {
	if d.out.Actions[d.put].Status != decision.Ask || status != decision.Ask {
		return
	}
	at := slices.IndexFunc(d.out.Bundles, func(b decision.Bundle) bool { return slices.Contains(b.Actions, d.put) })
	switch {
	case at < 0: // it was to leave until now
		b := d.currentBundle()
		b.Actions = append(b.Actions, d.put)
	case at != d.bundle:
		if d.bundle >= 0 {
			mergeBundle(&d.out.Bundles[at], &d.out.Bundles[d.bundle])
		}
		d.bundle = at
	}
}

// mergeBundle takes over what another bundle wants, which is empty then.
func mergeBundle(b *decision.Bundle, other *decision.Bundle) {
	e, o := &b.Effects, &other.Effects
	b.Actions = append(b.Actions, other.Actions...)
	// One approval releases both, so neither is released when its own would have been over.
	if other.Expires.Before(b.Expires) {
		b.Within, b.Expires = other.Within, other.Expires
	}
	e.Labels, e.Unlabels = append(e.Labels, o.Labels...), append(e.Unlabels, o.Unlabels...)
	e.Entries, e.Notices = append(e.Entries, o.Entries...), append(e.Notices, o.Notices...)
	e.Timers, e.Stamps = append(e.Timers, o.Timers...), append(e.Stamps, o.Stamps...)
	if e.Handoff == nil {
		e.Handoff, e.Leaves = o.Handoff, o.Leaves
	}
	*other = decision.Bundle{}
}

// awaitEmptyBundles lets bundles wait that have nothing to do on the platform.
func (d *decider) awaitEmptyBundles() {
	for i := range d.out.Bundles {
		if b := &d.out.Bundles[i]; len(b.Actions) == 0 && !b.Effects.None() {
			// An approval belongs to an action, so this adds one that does nothing but wait.
			b.Actions = append(b.Actions, len(d.out.Actions))
			d.out.Actions = append(d.out.Actions, decision.Action{Rule: b.Rule, Verb: event.VerbBooks, Status: decision.Ask, Due: d.now})
		}
	}
	d.out.Bundles = slices.DeleteFunc(d.out.Bundles, func(b decision.Bundle) bool { return len(b.Actions) == 0 })
	d.beginBundle()
}

// keepBooksLater notes what is to be done for our own people once it is approved.
func (d *decider) keepBooksLater(a *grammar.Act, p *decision.Progress) {
	switch {
	case len(a.Label) > 0:
		for _, l := range a.Label {
			if !slices.Contains(d.state.Labels, l) {
				e := d.waiting()
				e.Labels = append(e.Labels, l)
			}
		}
	case len(a.Unlabel) > 0:
		for _, l := range a.Unlabel {
			if slices.Contains(d.state.Labels, l) {
				e := d.waiting()
				e.Unlabels = append(e.Unlabels, l)
			}
		}
	case a.List != "":
		d.enterLater(decision.Entry{Rule: d.at.id, List: a.List, Text: d.keptText()})
	case a.SaveLead != nil:
		d.enterLater(d.leadOf(a.SaveLead, p))
	}
}

// enterLater puts an entry into a list with the approval.
func (d *decider) enterLater(e decision.Entry) {
	n := 0
	for i := range d.out.Bundles {
		n += len(d.out.Bundles[i].Effects.Entries)
	}
	trigger := d.in.Trigger.ID()
	held := event.HeldEntry{List: e.List, Key: trigger + "/ask/" + strconv.Itoa(n), Trigger: trigger, Text: e.Text}
	if len(e.Fields) > 0 {
		var err error
		if held.Data, err = json.Marshal(e.Fields); err != nil {
			d.err = err
			return
		}
	}
	w := d.waiting()
	w.Entries = append(w.Entries, held)
}

// tellTeam tells a team, now or with the approval.
func (d *decider) tellTeam(n decision.Notice) {
	if d.unsaid != "" && d.at.Answers {
		n.Text, n.Summary = n.Text+" (nothing was said to them: "+d.unsaid+")", false
	}
	if e := d.waiting(); e != nil {
		e.Notices = append(e.Notices, event.HeldNotice{Who: n.Who, Text: n.Text, Private: n.Private, Kind: n.Kind, Summary: n.Summary, Urgent: n.Urgent})
		return
	}
	d.out.Notices = append(d.out.Notices, n)
}

// timerLater sets a timer with the approval, as far from that as due is from now; a zero time cancels it. A field of its
// data may become the time of the approval.
func (d *decider) timerLater(name string, due time.Time, data []byte, stamp string) {
	t := event.HeldTimer{Name: name, Data: data, Stamp: stamp}
	if !due.IsZero() {
		t.After = due.Sub(d.now)
	}
	e := d.waiting()
	e.Timers = append(e.Timers, t)
}

// stampLater lets a field of the memory become the time of the approval.
func (d *decider) stampLater(path ...string) {
	e := d.waiting()
	if !slices.ContainsFunc(e.Stamps, func(s event.Stamp) bool { return slices.Equal(s.Path, path) }) {
		e.Stamps = append(e.Stamps, event.Stamp{Value: memoryValue, Path: path})
	}
}

// handOffLater gives the conversation to a team with the approval. p is as in act.
func (d *decider) handOffLater(h *grammar.Handoff, p *decision.Progress) {
	e := d.waiting()
	e.Handoff = &event.HeldHandoff{To: h.To, For: time.Duration(h.BotReturns.After)}
	d.handed = true
	if p == nil {
		e.Leaves = FlowPrefix
		d.timerLater(TimerSilence, time.Time{}, nil, "")
	}
}

// timersOf counts the timers that are set, now or with an approval, by how their names begin.
func (d *decider) timersOf(is func(name string) bool) int {
	n := 0
	for i := range d.out.Timers {
		if is(d.out.Timers[i].Name) {
			n++
		}
	}
	for i := range d.out.Bundles {
		for _, t := range d.out.Bundles[i].Effects.Timers {
			if is(t.Name) {
				n++
			}
		}
	}
	return n
}

// The fields of Memory, as JSON has them, that an approval sets; and that of a timer's data.
const (
	stampAnswered   = "answered"
	stampIntroduced = "introduced"
	stampWaiting    = "waiting"
	stampSince      = "since"
)
