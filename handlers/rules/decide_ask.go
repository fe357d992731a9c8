package rules

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Bundle is what one rule on ask wants to do for one trigger: it waits together for a person. What is no action on the
// platform happens with the approval.
type Bundle struct {
	Rule    string
	Actions []int // of the decision, in their order: one at least
	Effects event.Effects
	Within  time.Duration // how long it may be approved
	Expires time.Time     // until when
}

// memoryValue is the name of the value of a conversation that holds the engine's Memory.
const memoryValue = "rules/memory"

// together begins a bundle: what is done from now on waits for another approval than what was done before.
func (d *decider) together() { d.bundle = -1 }

// asks returns the bundle of what is being done.
func (d *decider) asks() *Bundle {
	if d.bundle < 0 {
		within := d.at.answerWithin
		expires := d.now.Add(within)
		if at := d.event.NotBefore; !at.IsZero() && !d.in.Trigger.Late && at.Add(within).After(d.now) {
			expires = at.Add(within)
		}
		d.bundle = len(d.out.Bundles)
		d.out.Bundles = append(d.out.Bundles, Bundle{Rule: d.at.id, Within: within, Expires: expires})
	}
	return &d.out.Bundles[d.bundle]
}

// waiting returns what happens with an approval; nil when what is done happens at once.
func (d *decider) waiting() *event.Effects {
	if d.status != Ask || d.dry {
		return nil
	}
	return &d.asks().Effects
}

// joinBundle lets what is being done wait with the message that its answer was added to, when that waits. status is that of
// the answer: what a live rule does beside it happens at once.
func (d *decider) joinBundle(status Status) {
	if d.out.Actions[d.put].Status != Ask || status != Ask {
		return
	}
	at := slices.IndexFunc(d.out.Bundles, func(b Bundle) bool { return slices.Contains(b.Actions, d.put) })
	switch {
	case at < 0: // it was to leave until now
		b := d.asks()
		b.Actions = append(b.Actions, d.put)
	case at != d.bundle:
		if d.bundle >= 0 {
			d.out.Bundles[at].merge(&d.out.Bundles[d.bundle])
		}
		d.bundle = at
	}
}

// merge takes over what another bundle wants, which is empty then.
func (b *Bundle) merge(other *Bundle) {
	e, o := &b.Effects, &other.Effects
	b.Actions = append(b.Actions, other.Actions...)
	if other.Expires.Before(b.Expires) {
		b.Within, b.Expires = other.Within, other.Expires
	}
	e.Labels, e.Unlabels = append(e.Labels, o.Labels...), append(e.Unlabels, o.Unlabels...)
	e.Entries, e.Notices = append(e.Entries, o.Entries...), append(e.Notices, o.Notices...)
	e.Timers, e.Stamps = append(e.Timers, o.Timers...), append(e.Stamps, o.Stamps...)
	if e.Handoff == nil {
		e.Handoff, e.Leaves = o.Handoff, o.Leaves
	}
	*other = Bundle{}
}

// books lets bundles wait that have nothing to do on the platform.
func (d *decider) books() {
	for i := range d.out.Bundles {
		if b := &d.out.Bundles[i]; len(b.Actions) == 0 && !b.Effects.None() {
			b.Actions = append(b.Actions, len(d.out.Actions))
			d.out.Actions = append(d.out.Actions, Action{Rule: b.Rule, Verb: event.VerbBooks, Status: Ask, Due: d.now})
		}
	}
	d.out.Bundles = slices.DeleteFunc(d.out.Bundles, func(b Bundle) bool { return len(b.Actions) == 0 })
	d.together()
}

// keepBooksLater notes what is to be done for our own people once it is approved.
func (d *decider) keepBooksLater(a *Act, p *Progress) {
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
		d.enterLater(Entry{Rule: d.at.id, List: a.List, Text: d.kept()})
	case a.SaveLead != nil:
		d.enterLater(d.leadOf(a.SaveLead, p))
	}
}

// enterLater puts an entry into a list with the approval.
func (d *decider) enterLater(e Entry) {
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

// tell tells a team, now or with the approval.
func (d *decider) tell(n Notice) {
	if e := d.waiting(); e != nil {
		e.Notices = append(e.Notices, event.HeldNotice{Who: n.Who, Text: n.Text, Private: n.Private, Kind: n.Kind, Summary: n.Summary})
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
func (d *decider) handOffLater(h *Handoff, p *Progress) {
	e := d.waiting()
	e.Handoff = &event.HeldHandoff{To: h.To, For: time.Duration(h.BotReturns.After)}
	d.handed = true
	if p == nil {
		e.Leaves = flowPrefix
		d.timerLater(timerSilence, time.Time{}, nil, "")
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

// approve takes over what an approval changes of a conversation.
func (s *State) approve(e *event.Effects, now time.Time) {
	*s = s.clone()
	for _, l := range e.Labels {
		s.label(l)
	}
	for _, l := range e.Unlabels {
		s.unlabel(l)
	}
	if e.Leaves != "" && strings.HasPrefix(s.Flow.Flow, e.Leaves) {
		s.Flow.Flow, s.Flow.State, s.Flow.Data = "", "", nil
	}
	if h := e.Handoff; h != nil && s.Owner == "" {
		s.Owner, s.OwnerFor = h.To, h.For
	}
	for _, stamp := range e.Stamps {
		switch p := stamp.Path; {
		case len(p) == 1 && p[0] == stampAnswered:
			s.Memory.Answered = now
		case len(p) == 2 && p[0] == stampWaiting:
			if s.Memory.Waiting == nil {
				s.Memory.Waiting = map[string]time.Time{}
			}
			s.Memory.Waiting[p[1]] = now
		}
	}
}

// The fields of Memory, as JSON has them, that an approval sets; and that of a timer's data.
const (
	stampAnswered = "answered"
	stampWaiting  = "waiting"
	stampSince    = "since"
)

// timersAt returns the timers that an approval sets. Those that it cancels are zero.
func timersAt(e *event.Effects, key event.Key, now time.Time) []event.Timer {
	var all []event.Timer
	for _, t := range e.Timers {
		timer := event.Timer{Key: key, Name: t.Name, Data: t.Data}
		if t.After > 0 {
			timer.Due = now.Add(t.After)
		}
		var w waiting
		if t.Stamp == stampSince && json.Unmarshal(t.Data, &w) == nil {
			w.Since = now
			timer.Data = encoded(w)
		}
		all = append(all, timer)
	}
	return all
}
