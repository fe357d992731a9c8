package poll_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/leap"
	"github.com/nectar-bot/nectar/bot/internal/poll"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// place names a cursor.
type place struct {
	source event.Source
	peer   platform.UserID
}

// memory is a sink and a store. What it accepts is stored by commit, and what is not stored is lost
// in a crash.
type memory struct {
	mu       sync.Mutex
	accepted []poll.Batch // not stored yet
	cursors  map[place]record.Cursor
	first    map[place]int64 // the first position of each cursor
	events   map[event.ID]event.Event
	refuse   int                // so many deliveries fail
	check    func(b poll.Batch) // is told what was accepted
	batches  int
	queries  int
}

var errFull = errors.New("there is no room")

func newMemory() *memory {
	return &memory{cursors: map[place]record.Cursor{}, first: map[place]int64{}, events: map[event.ID]event.Event{}}
}

// Deliver implements poll.Sink.
func (m *memory) Deliver(_ context.Context, b poll.Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse > 0 {
		m.refuse--
		return errFull
	}
	m.batches++
	if m.check != nil {
		m.check(b)
	}
	m.accepted = append(m.accepted, b)
	return nil
}

// Cursors implements poll.Cursors.
func (m *memory) Cursors(_ context.Context, account event.Account, source event.Source, peers []platform.UserID) ([]record.Cursor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queries++
	var out []record.Cursor
	for _, peer := range peers {
		if c, ok := m.cursors[place{source, peer}]; ok {
			if c.Account != account {
				return nil, fmt.Errorf("the cursor of %v is of account %q", peer, c.Account)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// CursorsAfter implements poll.Cursors.
func (m *memory) CursorsAfter(_ context.Context, _ event.Account, source event.Source, after platform.UserID, limit int) ([]record.Cursor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queries++
	var out []record.Cursor
	for at, c := range m.cursors {
		if at.source == source && at.peer > after {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b record.Cursor) int { return cmp.Compare(a.Peer, b.Peer) })
	return out[:min(limit, len(out))], nil
}

// commit stores what was accepted.
func (m *memory) commit() { m.commitFirst(math.MaxInt) }

// commitFirst stores some of the batches that were accepted: the first ones.
func (m *memory) commitFirst(most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := min(most, len(m.accepted))
	for _, b := range m.accepted[:n] {
		for _, e := range b.Events {
			if _, stored := m.events[e.ID]; !stored {
				m.events[e.ID] = e
			}
		}
		at := place{b.Cursor.Source, b.Cursor.Peer}
		if _, ok := m.cursors[at]; !ok {
			m.first[at] = b.Cursor.ID
		}
		m.cursors[at] = b.Cursor
	}
	m.accepted = slices.Clone(m.accepted[n:])
}

// crash loses what was not stored.
func (m *memory) crash() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted = nil
}

// fail lets the next deliveries fail.
func (m *memory) fail(times int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuse += times
}

// has reports whether an event was accepted or stored. The lock is held.
func (m *memory) has(id event.ID) bool {
	if _, ok := m.events[id]; ok {
		return true
	}
	return slices.ContainsFunc(m.accepted, func(b poll.Batch) bool {
		return slices.ContainsFunc(b.Events, func(e event.Event) bool { return e.ID == id })
	})
}

// of returns the stored events of a source, by number.
func (m *memory) of(source event.Source) []event.Event {
	m.commit()
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []event.Event
	for _, e := range m.events {
		if e.ID.Source == source {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b event.Event) int { return cmp.Compare(a.ID.Number, b.ID.Number) })
	return list
}

// texts returns the texts of the stored messages, by number.
func (m *memory) texts() []string {
	var out []string
	for _, e := range m.of(event.Messages) {
		out = append(out, e.Text)
	}
	return out
}

// notifs returns the numbers of the stored notifications, ascending.
func (m *memory) notifs() []int64 {
	var out []int64
	for _, e := range m.of(event.Notifs) {
		out = append(out, e.ID.Number)
	}
	return out
}

// sinkFunc is a function as a sink.
type sinkFunc func(context.Context, poll.Batch) error

// Deliver implements poll.Sink.
func (f sinkFunc) Deliver(ctx context.Context, b poll.Batch) error { return f(ctx, b) }

// restored is what an incarnation of the poller may ask about what was delivered before.
type restored struct {
	m     *memory
	last  map[event.Source]int64
	above map[event.Source][]event.Event
}

// restore begins an incarnation.
func (m *memory) restore() *restored {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &restored{m: m, last: map[event.Source]int64{}, above: map[event.Source][]event.Event{}}
	numbers := map[event.Source][]int64{}
	for id := range m.events {
		numbers[id.Source] = append(numbers[id.Source], id.Number)
	}
	for at, c := range m.cursors {
		if c.Source = at.source; at.peer == 0 {
			numbers[at.source] = append(numbers[at.source], c.Began())
		}
	}
	for source, all := range numbers {
		r.last[source] = leap.HighestBelievable(all)
		for id, e := range m.events {
			if id.Source == source && id.Number > r.last[source] {
				r.above[source] = append(r.above[source], e)
			}
		}
		slices.SortFunc(r.above[source], func(a, b event.Event) int { return cmp.Compare(b.ID.Number, a.ID.Number) })
	}
	return r
}

// KnownEvents implements poll.Delivered.
func (r *restored) KnownEvents(_ context.Context, ids []event.ID) (map[event.ID]bool, error) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	known := map[event.ID]bool{}
	for _, id := range ids {
		if r.m.has(id) {
			known[id] = true
		}
	}
	return known, nil
}

// CheckAgain implements poll.Delivered.
func (*restored) CheckAgain(context.Context, event.Source, []event.Event) error { return nil }

// StoredEvents implements poll.Delivered.
func (r *restored) StoredEvents(source event.Source) (int64, []event.Event) {
	return r.last[source], r.above[source]
}

// RecentEvents implements poll.Delivered.
func (r *restored) RecentEvents(_ context.Context, peer platform.UserID) ([]event.Event, error) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	var recent []event.Event
	for _, e := range r.m.events {
		if e.Peer == peer {
			recent = append(recent, e)
		}
	}
	for _, b := range r.m.accepted {
		for _, e := range b.Events {
			if e.Peer == peer {
				recent = append(recent, e)
			}
		}
	}
	slices.SortFunc(recent, func(a, b event.Event) int { return b.SeenAt.Compare(a.SeenAt) })
	return recent, nil
}
