package store_test

import (
	"maps"
	"slices"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// model is what a store of one account has to be, as simply as it can be said.
type model struct {
	events        map[event.ID]string // pending, handled, quarantined
	conversations map[platform.UserID]modelConversation
	actions       map[string]deed
	timers        map[platform.UserID]int64  // occurrence of the timer that is set
	aside         map[platform.UserID]string // the state of the timer that is set, when it is not waiting
	fired         map[string]bool            // timers that had their turn
	tried         map[platform.UserID]string // the timer that is set, once a try has recorded something
	recorded      map[string]bool            // timers with facts
	limitUses     map[string]map[string]bool
	backs         map[string][]string // by action: the limits whose uses it gives back
	cursors       map[platform.UserID]int64

	broken map[*store.Sequence]bool
}

type modelConversation struct {
	version int64
	name    string
}

type deed struct {
	peer  platform.UserID
	state event.State
}

func newModel() *model {
	return &model{
		events: map[event.ID]string{}, conversations: map[platform.UserID]modelConversation{}, actions: map[string]deed{},
		timers: map[platform.UserID]int64{}, aside: map[platform.UserID]string{}, fired: map[string]bool{}, tried: map[platform.UserID]string{}, recorded: map[string]bool{}, limitUses: map[string]map[string]bool{"a": {}, "b": {}, "c": {}, "d": {}}, backs: map[string][]string{},
		cursors: map[platform.UserID]int64{}, broken: map[*store.Sequence]bool{},
	}
}

func (m *model) cursor(c record.Cursor) { m.cursors[c.Peer] = max(m.cursors[c.Peer], c.ID) }

func markOf(a event.Action) outbox.Mark { return outbox.MarkOf(&a) }

// mark changes an action; one that has ended does not leave any more.
func (m *model) mark(key string, state event.State) {
	if d := m.actions[key]; state != event.StateSending || !d.state.Final() {
		m.actions[key] = deed{d.peer, state}
	}
	if state == event.StateRefused {
		m.giveBack(key)
	}
}

// giveBack ends the uses of an action that has not come about.
func (m *model) giveBack(key string) {
	for _, limit := range m.backs[key] {
		delete(m.limitUses[limit], key)
	}
}

// denies reports whether a limit denies a limit use to what has this key.
func (m *model) denies(c event.LimitUse, key string) bool {
	n := len(m.limitUses[c.Limit])
	if m.limitUses[c.Limit][key] {
		n--
	}
	return n >= c.Max
}

// openKeys are the actions that may be marked.
func (m *model) openKeys() []string {
	return slices.Sorted(maps.Keys(m.actions))
}

// commit returns the receipt of a write.
func (m *model) commit(w *store.Write) store.Receipt {
	r := store.Receipt{}
	if t := w.Turn; t != nil {
		if r = m.turn(t); r.Err != nil || r.Dropped {
			if t.Sequence != nil {
				m.broken[t.Sequence] = true
			}
			return r
		}
	}
	for _, e := range w.Pending {
		if m.events[e.ID] == "" {
			m.events[e.ID] = "pending"
		}
	}
	for _, x := range w.Orphans {
		if m.timers[x.Key.Peer] == x.Occurrence && m.aside[x.Key.Peer] == "" {
			m.aside[x.Key.Peer] = record.TimerOrphaned
		}
	}
	if a := w.Attempt; a != nil && a.Timer != nil {
		m.try(a)
	} else if a != nil && m.events[a.Event.ID] != "handled" {
		m.events[a.Event.ID] = "pending"
		if a.Quarantined {
			m.events[a.Event.ID] = "quarantined"
		}
	}
	return r
}

// try takes note of a try of a timer, unless that is gone.
func (m *model) try(a *store.Attempt) {
	peer := a.Timer.Key.Peer
	if m.timers[peer] != a.Timer.Occurrence {
		return
	}
	m.tried[peer], m.recorded[a.Timer.ID()] = a.Timer.ID(), true
	if a.Tries > 0 {
		delete(m.aside, peer)
	}
	if a.Quarantined {
		m.aside[peer] = record.TimerQuarantined
	}
}

// stale reports whether a turn wants something to be tried again that is not quarantined.
func (m *model) stale(t *store.Turn) bool {
	return slices.ContainsFunc(t.RetryTimers, func(x event.Timer) bool {
		return m.timers[x.Key.Peer] != x.Occurrence || m.aside[x.Key.Peer] != record.TimerQuarantined
	})
}

// untry forgets that a timer was tried, and what its tries recorded unless it has fired.
func (m *model) untry(peer platform.UserID, fired bool) {
	if !fired {
		delete(m.recorded, m.tried[peer])
	}
	delete(m.tried, peer)
	delete(m.aside, peer)
}

func (m *model) turn(t *store.Turn) store.Receipt {
	peer, timer := t.Trigger.Key.Peer, t.Trigger.Timer
	byTimer, c := t.Trigger.Kind == event.ByTimer, t.Conversation
	switch {
	case c != nil && c.Values != nil:
		return store.Receipt{Err: store.ErrUnfit}
	case t.Sequence != nil && m.broken[t.Sequence]:
		return store.Receipt{Err: store.ErrStale}
	case byTimer && (m.timers[peer] != timer.Occurrence || m.fired[timer.ID()]):
		if m.timers[peer] == timer.Occurrence {
			delete(m.timers, peer)
			m.untry(peer, true)
		}
		return store.Receipt{Dropped: true}
	case !byTimer && m.events[t.Trigger.Event.ID] == "handled":
		return store.Receipt{Dropped: true}
	}
	for _, use := range t.LimitUses {
		if m.denies(use, t.ClaimantKey()) {
			return store.Receipt{Err: &store.DeniedError{Limit: use.Limit}}
		}
	}
	if c != nil && c.Version != m.conversations[peer].version+1 || m.stale(t) {
		return store.Receipt{Err: store.ErrStale}
	}
	for _, x := range t.RetryTimers {
		delete(m.aside, x.Key.Peer)
	}
	for _, use := range t.LimitUses {
		m.limitUses[use.Limit][t.ClaimantKey()] = true
	}
	if byTimer {
		m.fired[timer.ID()] = true
		delete(m.timers, peer)
		m.untry(peer, true)
	} else {
		m.events[t.Trigger.Event.ID] = "handled"
	}
	if c != nil {
		m.conversations[peer] = modelConversation{c.Version, c.Name}
	}
	for _, set := range t.Timers {
		m.untry(peer, false)
		if delete(m.timers, peer); !set.Due.IsZero() {
			m.timers[peer] = set.Occurrence
		}
	}
	if t.Withdraw != "" {
		for key, d := range m.actions {
			if d.peer == peer && d.state == event.StateDue {
				m.actions[key] = deed{peer, event.StateWithdrawn}
				m.giveBack(key)
			}
		}
	}
	var r store.Receipt
	for i := range t.Actions {
		if !m.act(t, &t.Actions[i]) {
			r.Denied = append(r.Denied, i)
		}
	}
	return r
}

// act stores an action; false when it must not leave.
func (m *model) act(t *store.Turn, a *record.Action) bool {
	if _, stored := m.actions[a.Key]; stored {
		return false
	}
	m.actions[a.Key] = deed{a.Peer, a.State}
	limitUses := a.LimitUses
	if a.Key == t.LimitUseKey {
		limitUses = slices.Concat(limitUses, t.LimitUses)
	}
	for _, c := range limitUses {
		if c.GiveBack {
			m.backs[a.Key] = append(m.backs[a.Key], c.Limit)
		}
	}
	for _, c := range a.LimitUses {
		if m.denies(c, a.Key) {
			m.actions[a.Key] = deed{a.Peer, event.StateWithdrawn}
			m.giveBack(a.Key)
			return false
		}
	}
	for _, c := range a.LimitUses {
		m.limitUses[c.Limit][a.Key] = true
	}
	return true
}

// compareTimers checks that the timers wait, or do not, as in the model.
func (h *history) compareTimers() {
	timers, _ := h.timers(noon, 100)
	got, want := map[platform.UserID]int64{}, map[platform.UserID]int64{}
	for _, t := range timers {
		got[t.Key.Peer] = t.Occurrence
	}
	for peer := range platform.UserID(maxPeer + 1) {
		for _, t := range h.stuckTimers(event.Key{Account: ana, Peer: peer}) {
			got[-peer] = t.Occurrence
		}
	}
	for peer, occurrence := range h.model.timers {
		switch h.model.aside[peer] {
		case "":
			want[peer] = occurrence
		case record.TimerQuarantined:
			want[-peer] = occurrence
		}
	}
	h.same("timers", want, got)
}

// compare checks that the store holds what the model does.
func (h *history) compare() {
	m := h.model
	h.flush()
	handled, waiting := map[event.ID]bool{}, 0
	for id, state := range m.events {
		handled[id] = state == "handled"
		if state == "pending" {
			waiting++
		}
	}
	h.handled(handled, slices.Collect(maps.Keys(handled))...)
	if got := len(h.pending(0)); got != waiting {
		h.Errorf("%d events wait, and %d in the model", got, waiting)
	}
	for peer := range platform.UserID(maxPeer + 1) {
		c := m.conversations[peer]
		h.isNamed(event.Key{Account: ana, Peer: peer}, c.version, c.name)
	}
	h.compareTimers()
	for peer := range platform.UserID(maxPeer + 1) {
		for n := range int64(5) {
			id := alarm(peer, "t", n, noon).ID()
			if got := h.facts(id); len(got) > 0 != m.recorded[id] {
				h.Errorf("recorded of %s is %v, and %v in the model", id, got, m.recorded[id])
			}
		}
	}
	h.same("tried", len(m.tried), len(h.facts(store.Tried)))
	states := map[event.State]int{}
	for _, d := range m.actions {
		states[d.state]++
	}
	if got, want := len(h.due(noon, 1000)), states[event.StateDue]; got != want {
		h.Errorf("%d actions are due, and %d in the model", got, want)
	}
	if got, want := len(h.opened()), states[event.StateSending]+states[event.StateInDoubt]; got != want {
		h.Errorf("%d actions are open, and %d in the model", got, want)
	}
	for limit, users := range m.limitUses {
		h.uses(len(users), event.LimitUse{Limit: limit}, noon)
	}
	cursors, err := h.Cursors(h.Context(), ana, event.Messages, []platform.UserID{1, 2, 3})
	if err != nil {
		h.Fatal(err)
	}
	got := map[platform.UserID]int64{}
	for _, c := range cursors {
		got[c.Peer] = c.ID
	}
	h.same("cursors", m.cursors, got)
	if h.Failed() {
		h.FailNow()
	}
}
