package rehearse

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
)

// heldBundle is what waits for a person of ours.
type heldBundle struct {
	decision.Bundle
	key       event.Key
	keys      []string // of its actions
	limitUses []event.LimitUse
}

// askPerson lets what waits for a person wait, or approves it at once.
func (r *Rehearsal) askPerson(g *Guest, t event.Trigger, d *decision.Decision) {
	for i := range d.Bundles {
		h := heldBundle{Bundle: d.Bundles[i], key: t.Key}
		for _, n := range h.Actions {
			h.keys, h.limitUses = append(h.keys, engine.ActionKey(t, n)), append(h.limitUses, d.Actions[n].LimitUses...)
		}
		if !r.Holds {
			r.approve(g, &h, d.Actions[h.Actions[0]].Due)
			continue
		}
		for _, key := range h.keys {
			g.actions[key] = decision.ActionFact{State: event.StateHeld}
		}
		g.held = append(g.held, h)
	}
}

// approve lets what waits happen. The actions are done at a time.
func (r *Rehearsal) approve(g *Guest, h *heldBundle, done time.Time) {
	for _, key := range h.keys {
		g.actions[key] = decision.ActionFact{State: event.StateDone, At: done}
	}
	r.countUses(h.limitUses)
	engine.TakeEffect(&g.State, &h.Effects, r.now)
	for _, e := range h.Effects.Entries {
		r.addEntry(e.List, e.Key)
		r.addEntry(e.List, engine.ListKey(g.State.Peer))
	}
	for _, t := range engine.TimersAt(&h.Effects, h.key, r.now) {
		r.set(t)
	}
}

// Rule lets what waits for a person happen, or drops it. It returns how many actions that were.
func (r *Rehearsal) Rule(g *Guest, yes bool) int {
	n := 0
	for i := range g.held {
		h := &g.held[i]
		n += len(h.keys)
		if !yes || h.Expires.Before(r.now) {
			r.refuse(g, h)
		} else {
			r.approve(g, h, r.now)
		}
	}
	g.held = nil
	return n
}

func (r *Rehearsal) refuse(g *Guest, h *heldBundle) {
	for _, key := range h.keys {
		g.actions[key] = decision.ActionFact{State: event.StateWithdrawn, At: r.now}
	}
}
