package replay

import (
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

// approveAtOnce lets happen what would wait for a person: somebody approves it at once.
func (r *player) approveAtOnce(p *replayed, key event.Key, d *decision.Decision) {
	for i := range d.Bundles {
		e := &d.Bundles[i].Effects
		if e.Handoff != nil && p.state.Owner == "" {
			p.handed, p.together = r.clock, false
		}
		engine.TakeEffect(&p.state, e, r.clock)
		for _, x := range e.Entries {
			r.addEntry(p, &decision.Entry{List: x.List, Key: x.Key})
		}
		for _, t := range engine.TimersAt(e, key, r.clock) {
			r.set(p, t)
		}
	}
}

// isRefused reports whether nothing came, in the recording, of what the person's next turn prepared for an approval.
func (a *aheadTurns) isRefused(peer platform.UserID) bool {
	for _, t := range a.turns {
		if t.turnPeer() == peer && recordIn(&t.Recorded).Outcome == string(decision.Prepared) {
			return !slices.ContainsFunc(t.Actions, func(x event.Action) bool { return x.State != event.StateWithdrawn && x.State != event.StateHeld })
		}
	}
	return false
}
