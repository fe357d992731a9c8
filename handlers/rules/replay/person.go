package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
)

// replayed is a person of a replay.
type replayed struct {
	state  decision.State
	timers []event.Timer

	exchange *Exchange // that is not over; nil for none
	after    *Exchange // what came of silence since the last one; nil for nothing

	owned    bool      // somebody of ours had the conversation in the recording
	handed   time.Time // when these rules gave the conversation to a team
	together bool      // ... and the recorded ones did so, too
	adopt    bool      // the last text was private: how it was read is known by where the recording went on
	actions  map[string]approvedAction
}

// approvedAction is the state of an action that leaves, or that a person has to approve.
type approvedAction struct {
	decision.ActionFact
	later bool // it waited until then, in the recording
}

// at returns its state at a time.
func (a approvedAction) at(now time.Time) decision.ActionFact {
	switch {
	case !a.State.Final() || !a.At.After(now):
		return a.ActionFact
	case a.later:
		return decision.ActionFact{State: event.StateHeld}
	default:
		return decision.ActionFact{State: event.StateDue}
	}
}

// personOf returns the person of an event; nil while a burst goes on that began before the replay.
func (r *player) personOf(t *aheadTurn) *replayed {
	e := t.Event
	p := r.people[e.Peer]
	if p == nil {
		p = &replayed{state: decision.State{Peer: e.Peer}}
		if err := engine.ReadState(t.Event.Record.Before, &p.state); len(t.Event.Record.Before) > 0 && err != nil {
			return nil
		}
		if p.state.Memory.Burst != nil {
			return nil
		}
		p.state.Owner, p.state.OwnerFor = "", 0
		r.people[e.Peer] = p
	}
	if e.Name != "" {
		p.state.Name = e.Name
	}
	if e.User != "" {
		p.state.User = e.User
	}
	return p
}

// freshenPerson takes over from the recording what these rules cannot know: that a conversation was given back,
// and how a private text was read.
func (p *replayed) freshenPerson(t *aheadTurn) {
	p.owned = false
	if p.state.Owner != "" && (p.together || p.state.OwnerFor > 0 && handledAt(&t.Recorded).Sub(p.handed) > p.state.OwnerFor) {
		p.state.Owner, p.state.OwnerFor, p.together = "", 0, false
	}
	if !p.adopt {
		return
	}
	var before decision.State
	if json.Unmarshal(t.Event.Record.Before, &before) == nil && before.Memory.Burst == nil {
		p.state.Flow, p.adopt = before.Flow, false
	}
}

// noteSilenceWish takes note of whether a person wants to be left alone, by what they wrote while somebody of ours had the
// conversation.
func (r *player) noteSilenceWish(p *replayed, t *aheadTurn) {
	e := t.Event
	switch {
	case e.Kind != event.KindMessage:
	case !engine.VersionOf(r.v).AsksForSilence(e.Text): //mutate:replay-stop
		if p.state.Silence.Untold || engine.VersionOf(r.v).AsksToSpeak(e.Text) {
			p.state.Silence, p.state.Memory.StopTold = conversation.Silence{}, time.Time{}
		}
	default:
		owner := p.state.Owner
		p.state.Owner = bot.OwnedByPerson
		r.decideTrigger(p, event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e.Event})
		p.state.Owner = owner
		if p.exchange != nil { // what was gathered is answered by nobody
			p.exchange.waits = false
			r.close(p)
		}
	}
}

// meetEvent begins an exchange with an event, or goes on with one that is not over.
func (r *player) meetEvent(p *replayed, t *aheadTurn) {
	if x := p.exchange; x != nil && r.clock.Sub(x.last) > longestWait {
		x.waits = false
		r.finish(p)
	}
	if p.exchange == nil {
		r.flush(p)
		p.exchange = newExchange(t, r.clock)
	}
	p.exchange.last = r.clock
	var before decision.State
	if engine.IsMasked(t.Event.Text) && json.Unmarshal(t.Event.Record.Before, &before) == nil {
		p.exchange.private = true
		if before.Flow.Flow == p.state.Flow.Flow && before.Flow.State == p.state.Flow.State {
			p.adopt = true
		}
	}
}

// longestWait is how long what was gathered in the recording may wait for its turn.
const longestWait = time.Hour

// laterExchange returns what comes of silence after the last exchange.
func (p *replayed) laterExchange(now time.Time) *Exchange {
	if p.after == nil {
		p.after = &Exchange{At: now, Peer: p.state.Peer, User: p.state.User, Name: p.state.Name}
	}
	return p.after
}

// close ends the exchange when both sides have answered.
func (r *player) close(p *replayed) {
	if x := p.exchange; x != nil && !x.waits && p.state.Memory.Burst == nil {
		r.finish(p)
	}
}

// finish ends an exchange.
func (r *player) finish(p *replayed) {
	x := p.exchange
	p.exchange = nil
	x.compare()
	for i := range x.Now { // a person decides about an action as they decided about the same one then
		for j := range x.Then {
			if n := &x.Now[i]; n.key != "" && p.actions != nil && n.isSame(&x.Then[j]) {
				p.actions[n.key] = approvedAction{x.Then[j].became, x.Then[j].asks}
			}
		}
	}
	p.together = !p.handed.IsZero() && p.state.Owner != "" && (p.together || x.Change == Same)
	r.tellExchange(x)
}

// flush reports what is left of a person.
func (r *player) flush(p *replayed) {
	if p.exchange != nil {
		r.finish(p)
	}
	if x := p.after; x != nil {
		p.after = nil
		x.compare()
		r.tellExchange(x)
	}
}

// tellExchange counts an exchange and reports it.
func (r *player) tellExchange(x *Exchange) {
	r.count.add(x)
	r.report(x)
}

// add counts an exchange.
func (c *ReplayCount) add(x *Exchange) {
	switch x.Change {
	case Same:
		c.Same++
		if slices.ContainsFunc(x.Then, func(s Said) bool { return s.edited }) {
			c.Edited++
		}
		switch {
		case len(x.Now) == 0:
			c.Silent++
		case x.Then[0].Watch && !x.Now[0].Watch:
			c.Awake++
		case x.Now[0].Watch && !x.Then[0].Watch:
			c.Asleep++
		}
	case Changed:
		c.Changed++
	case New:
		c.New++
	case Gone:
		c.Gone++
	case Unseen:
		c.Private++
	}
}

// wroteByHand reports whether a turn is that of a message which a person of ours wrote.
func wroteByHand(id string) bool { return strings.HasPrefix(id, "decision:takeover/") }
