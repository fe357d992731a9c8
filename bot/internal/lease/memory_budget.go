package lease

import "context"

// memoryHost is a host of a board in memory.
type memoryHost struct {
	number int64
	asks   map[Seat]Ask
}

// ReadHosts implements Board.
func (m *Memory) ReadHosts(context.Context) (*HostViews, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := &HostViews{Hosts: map[string]HostView{}}
	for i := range m.workers {
		if m.workers[i].State != StateGone {
			v.Workers++
		}
	}
	for host, h := range m.hosts {
		seen := HostView{Number: h.number, Asks: map[int64]Ask{}}
		for seat, a := range h.asks {
			if m.seatLocked(seat) != nil { //mutate:asks-of-the-gone
				seen.Asks[seat.Worker] = a
			}
		}
		v.Hosts[host] = seen
	}
	return v, nil
}

// AskRate implements Board.
func (m *Memory) AskRate(_ context.Context, s Seat, number int64, a Ask) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seatLocked(s) == nil {
		return false, ErrGone
	}
	h := m.hosts[a.Host]
	if h == nil {
		h = &memoryHost{asks: map[Seat]Ask{}}
		m.hosts[a.Host] = h
	}
	if h.number != number { //mutate:asked-meanwhile
		return false, nil
	}
	h.number++
	for seat := range h.asks {
		if m.seatLocked(seat) == nil {
			delete(h.asks, seat)
		}
	}
	h.asks[s] = a
	return true, nil
}
