package lease

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Memory is a board in the memory of a process: for a process without other workers, and for simulations of many.
type Memory struct {
	wall func() time.Time

	mu      sync.Mutex // guards the fields below
	workers []Peer     // by number
	shards  [event.Shards]memoryShard
	plans   int64
	storing map[*Storing]struct{}
	hosts   map[string]*memoryHost
	ways    []*way
}

type memoryShard struct {
	Shard
	note []byte
}

// NewMemory returns an empty board. Its clock is time.Now unless another one is given.
func NewMemory(wall func() time.Time) *Memory {
	if wall == nil {
		wall = time.Now
	}
	return &Memory{wall: wall, storing: map[*Storing]struct{}{}, hosts: map[string]*memoryHost{}}
}

// way is a worker's way to a board in memory.
type way struct {
	*Memory
	hints chan struct{}
}

// Board returns a way to the board.
func (m *Memory) Board() Board {
	w := &way{Memory: m, hints: make(chan struct{}, 1)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ways = append(m.ways, w)
	return w
}

// Hints gets something when there are news.
func (w *way) Hints() <-chan struct{} { return w.hints }

// hintLocked tells everybody that there are news. The board is locked.
func (m *Memory) hintLocked() {
	for _, w := range m.ways {
		select {
		case w.hints <- struct{}{}:
		default:
		}
	}
}

// seatLocked returns a worker; nil when its epoch is another one.
func (m *Memory) seatLocked(s Seat) *Peer {
	for i := range m.workers {
		if m.workers[i].Seat == s && m.workers[i].State != StateGone {
			return &m.workers[i]
		}
	}
	return nil
}

// AddWorker implements Board.
func (m *Memory) AddWorker(_ context.Context, c Card) (Seat, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.Has = slices.Clone(c.Has)
	for i := range m.workers {
		w := &m.workers[i]
		switch {
		case w.Name != c.Name:
		case w.State != StateGone:
			return Seat{}, record.ErrNameTaken
		default:
			w.Epoch++
			w.Card, w.State, w.Seen, w.Ahead = c, StateEntering, m.wall(), 0
			return w.Seat, nil
		}
	}
	w := Peer{Card: c, State: StateEntering, Seen: m.wall()}
	w.Seat = Seat{Worker: int64(len(m.workers)) + 1, Epoch: 1}
	m.workers = append(m.workers, w)
	return w.Seat, nil
}

// RenewLease implements Board.
func (m *Memory) RenewLease(_ context.Context, s Seat, p Pulse) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.seatLocked(s)
	if w == nil {
		return 0, ErrGone
	}
	w.Beat++
	w.Seen = m.wall()
	w.Ahead = p.Wall.Sub(w.Seen)
	if w.State != p.State {
		w.State = p.State
		m.hintLocked()
	}
	if p.Report != nil {
		w.Has = slices.Clone(p.Report.Has)
		for n, load := range p.Report.Loads {
			if n >= 0 && n < event.Shards && m.shards[n].Owner == s.Worker {
				m.shards[n].Load = load
			}
		}
	}
	return w.Beat, nil
}

// ReadView implements Board.
func (m *Memory) ReadView(context.Context) (*View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.viewLocked(), nil
}

func (m *Memory) viewLocked() *View {
	v := &View{Now: m.wall(), Plans: m.plans, Workers: slices.Clone(m.workers)}
	for i := range m.shards {
		v.Shards[i] = m.shards[i].Shard
	}
	return v
}

// endLocked frees the shards of a worker, and lets nobody go on as it.
func (m *Memory) endLocked(w *Peer) {
	w.Epoch++
	w.State = StateGone
	m.endStoringLocked(w.Worker)
	for i := range m.shards {
		s := &m.shards[i]
		if s.Owner == w.Worker {
			s.Owner = 0
		}
		if s.Wanted == w.Worker {
			s.Wanted = 0
		}
	}
	m.hintLocked()
}

// TakeOver implements Board.
func (m *Memory) TakeOver(_ context.Context, s Sight) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.seatLocked(s.Seat)
	if w == nil || w.Beat != s.Beat { //mutate:beat-between
		return false, nil
	}
	m.endLocked(w)
	return true, nil
}

// StorePlan implements Board.
func (m *Memory) StorePlan(_ context.Context, s Seat, decide func(*View) []Want) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seatLocked(s) == nil {
		return false, ErrGone
	}
	for _, w := range decide(m.viewLocked()) {
		m.shards[w.Shard].Wanted = w.Worker
	}
	m.plans++
	m.hintLocked()
	return true, nil
}

// Acquire implements Board.
func (m *Memory) Acquire(_ context.Context, s Seat, again ...int) (got []Holding, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seatLocked(s) == nil {
		return nil, ErrGone
	}
	for i := range m.shards {
		b := &m.shards[i]
		switch {
		case b.Owner == 0 && b.Wanted == s.Worker:
			b.Owner = s.Worker
			b.Epoch++
		case b.Owner != s.Worker || !slices.Contains(again, i):
			continue
		}
		got = append(got, Holding{Shard: i, Epoch: b.Epoch, Note: slices.Clone(b.note)})
	}
	return got, nil
}

// Release implements Board.
func (m *Memory) Release(_ context.Context, s Seat, all ...Released) error {
	for i := range all {
		if len(all[i].Note) > MaxNote {
			return ErrNoteTooLong
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seatLocked(s) == nil {
		return ErrGone
	}
	for i := range all {
		r := &all[i]
		b := &m.shards[r.Shard]
		if b.Owner != s.Worker || b.Epoch != r.Epoch {
			continue
		}
		b.Owner = 0
		if r.Note != nil {
			b.note = slices.Clone(r.Note)
		}
		m.hintLocked()
	}
	return nil
}

// RemoveWorker implements Board.
func (m *Memory) RemoveWorker(_ context.Context, s Seat) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.seatLocked(s)
	if w == nil {
		return ErrGone
	}
	m.endLocked(w)
	return nil
}

// Drain implements Board.
func (m *Memory) Drain(_ context.Context, name string, on bool) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.workers {
		if w := &m.workers[i]; w.Name == name && (!on || w.State != StateGone) {
			w.Drain = on
			m.hintLocked()
			return true, nil
		}
	}
	return false, nil
}

// StoreNeeds implements Board.
func (m *Memory) StoreNeeds(_ context.Context, shard int, needs []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shards[shard].Needs = slices.Clone(needs)
	m.hintLocked()
	return nil
}
