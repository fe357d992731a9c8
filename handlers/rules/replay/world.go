package replay

import (
	"container/heap"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

// applyDecision takes a decision over.
func (r *player) applyDecision(p *replayed, trigger event.Trigger, d *decision.Decision) {
	p.state = d.State
	for _, c := range d.LimitUses {
		r.limits.countUse(c, r.clock)
	}
	if !p.state.Flow.Active() {
		p.actions = nil // what questions become matters as long as somebody is asked
	} else if p.actions == nil {
		p.actions = map[string]approvedAction{}
	}
	for i := range d.Actions {
		if a := &d.Actions[i]; a.Status == decision.Ask { // somebody approves at once, as long as nothing else is known
			if p.actions != nil {
				p.actions[engine.ActionKey(trigger, i)] = approvedAction{ActionFact: decision.ActionFact{State: event.StateDone, At: a.Due}}
			}
			for _, c := range a.LimitUses {
				r.limits.countUse(c, r.clock)
			}
		}
	}
	if d.Handoff != nil {
		p.handed, p.together = r.clock, false
	}
	if len(d.Bundles) > 0 && !r.ahead.isRefused(p.state.Peer) {
		r.approveAtOnce(p, trigger.Key, d)
	}
	for i := range d.Entries {
		r.addEntry(p, &d.Entries[i])
	}
	for _, t := range d.Timers {
		r.set(p, t)
	}
}

// addEntry puts an entry into a list.
func (r *player) addEntry(p *replayed, e *decision.Entry) {
	if r.lists[e.List] == nil {
		r.lists[e.List] = map[string]bool{}
	}
	r.lists[e.List][engine.ListKey(p.state.Peer)] = true
	if e.Key != "" {
		r.lists[e.List][e.Key] = true
	}
}

// read returns a fact: as it was recorded, or, where these rules have made it themselves in the replay, as they have made it.
func (r *player) read(p *replayed, n decision.Need) json.RawMessage {
	recorded, known := r.ahead.factNow(p.state.Peer, n.Name)
	switch n.Kind {
	case decision.NeedUses:
		var before int
		if known && json.Unmarshal(recorded, &before) != nil {
			before = 0
		}
		return engine.EncodeFact(r.limits.usedCount(n.LimitUse, before, r.clock))
	case decision.NeedAction:
		if a, ok := p.actions[n.Key]; ok || !known {
			return engine.EncodeFact(a.at(r.clock))
		}
	case decision.NeedCeiling:
		if !known {
			return engine.EncodeFact(math.MaxInt)
		}
	case decision.NeedEntry: // a rule that stopped itself goes on when somebody lets it
		return engine.EncodeFact(r.lists[n.List][n.Key] && string(recorded) != "false")
	case decision.NeedListed:
		if r.lists[n.List][engine.ListKey(p.state.Peer)] {
			return engine.EncodeFact(true)
		}
	case decision.NeedProfile, decision.NeedFollower, decision.NeedPost:
	}
	if known {
		return recorded
	}
	r.count.Unread++
	switch n.Kind {
	case decision.NeedProfile:
		return engine.EncodeFact(platform.Profile{})
	case decision.NeedPost:
		return engine.EncodeFact(platform.Post{ID: n.Post})
	default:
		return engine.EncodeFact(false)
	}
}

// replayTimer is a timer in the order in which they come due.
type replayTimer struct {
	due        time.Time
	peer       platform.UserID
	occurrence int64
}

// replayTimers is a heap. What a person has not set any more is skipped.
type replayTimers struct {
	heap []replayTimer
	last int64
}

// Len implements heap.Interface.
func (rt *replayTimers) Len() int { return len(rt.heap) }

// Less implements heap.Interface.
func (rt *replayTimers) Less(i, j int) bool {
	if c := rt.heap[i].due.Compare(rt.heap[j].due); c != 0 {
		return c < 0
	}
	return rt.heap[i].occurrence < rt.heap[j].occurrence
}

// Swap implements heap.Interface.
func (rt *replayTimers) Swap(i, j int) { rt.heap[i], rt.heap[j] = rt.heap[j], rt.heap[i] }

// Push implements heap.Interface.
func (rt *replayTimers) Push(x any) {
	if t, ok := x.(replayTimer); ok {
		rt.heap = append(rt.heap, t)
	}
}

// Pop implements heap.Interface.
func (rt *replayTimers) Pop() any {
	last := len(rt.heap) - 1
	t := rt.heap[last]
	rt.heap = rt.heap[:last]
	return t
}

// set sets a timer; a zero time cancels it.
func (r *player) set(p *replayed, t event.Timer) {
	p.timers = slices.DeleteFunc(p.timers, func(x event.Timer) bool { return x.Name == t.Name })
	if t.Due.IsZero() {
		return
	}
	r.timers.last++
	t.Occurrence = r.timers.last
	p.timers = append(p.timers, t)
	heap.Push(&r.timers, replayTimer{t.Due, p.state.Peer, t.Occurrence})
}

// advanceClock lets the clock go on, and what comes due meanwhile happen.
func (r *player) advanceClock(then time.Time) {
	for len(r.timers.heap) > 0 && !r.timers.heap[0].due.After(then) {
		next, ok := heap.Pop(&r.timers).(replayTimer)
		p := r.people[next.peer]
		i := slices.IndexFunc(p.timers, func(t event.Timer) bool { return t.Occurrence == next.occurrence })
		if i < 0 || !ok {
			continue
		}
		t := p.timers[i]
		p.timers = slices.Delete(p.timers, i, i+1)
		if t.Due.After(r.clock) {
			r.clock = t.Due
		}
		r.fireTimer(p, t)
	}
	if then.After(r.clock) {
		r.clock = then
	}
}

// fireTimer lets a timer come due.
func (r *player) fireTimer(p *replayed, t event.Timer) {
	if (p.owned || p.state.Owner != "") && !strings.HasPrefix(t.Name, bot.OwnedTimer) {
		t.Due = r.clock.Add(engine.OwnedPause)
		r.set(p, t)
		return
	}
	trigger := event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t}
	d, ok := r.decideTrigger(p, trigger)
	switch {
	case !ok:
	case t.Name == engine.TimerBurst && p.exchange != nil:
		p.exchange.now(trigger, &d)
	case len(d.Actions) > 0:
		p.laterExchange(r.clock).now(trigger, &d)
	}
	r.close(p)
}
