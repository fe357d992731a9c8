package rules

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// approve lets happen what would wait for a person: somebody approves it at once.
func (r *Replay) approve(p *replayed, key event.Key, d *Decision) {
	for i := range d.Bundles {
		e := &d.Bundles[i].Effects
		if e.Handoff != nil && p.state.Owner == "" {
			p.handed, p.together = r.clock, false
		}
		p.state.approve(e, r.clock)
		for _, x := range e.Entries {
			r.enter(p, &Entry{List: x.List, Key: x.Key})
		}
		for _, t := range timersAt(e, key, r.clock) {
			r.set(p, t)
		}
	}
}

// refused tells whether nothing came, in the recording, of what the person's next turn prepared for an approval.
func (a *aheadTurns) refused(peer platform.UserID) bool {
	for _, t := range a.turns {
		if t.peer() == peer && tracedIn(&t.Recorded).Outcome == string(Prepared) {
			return !slices.ContainsFunc(t.Actions, func(x event.Action) bool { return x.State != event.StateWithdrawn && x.State != event.StateHeld })
		}
	}
	return false
}
