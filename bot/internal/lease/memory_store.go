package lease

// Storing is something that a worker is about to store, where the board in memory stands for the database: whoever takes over from
// the worker ends it.
type Storing struct {
	board  *Memory
	worker int64
	ended  bool
}

// Store begins to store something as a worker. It fails with ErrGone when its epoch is not the worker's any more.
func (m *Memory) Store(s Seat) (*Storing, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seatLocked(s) == nil { //mutate:memory-fence
		return nil, ErrGone
	}
	x := &Storing{board: m, worker: s.Worker}
	m.storing[x] = struct{}{}
	return x, nil
}

// Commit stores it, by commit, while nobody can take over; or fails with ErrGone when somebody has since it began.
func (s *Storing) Commit(commit func() error) error {
	s.board.mu.Lock()
	defer s.board.mu.Unlock()
	delete(s.board.storing, s)
	if s.ended { //mutate:memory-storing
		return ErrGone
	}
	return commit()
}

// Discard does not store it.
func (s *Storing) Discard() {
	s.board.mu.Lock()
	defer s.board.mu.Unlock()
	delete(s.board.storing, s)
}

// endStoringLocked ends what a worker is about to store. The board is locked.
func (m *Memory) endStoringLocked(worker int64) {
	for x := range m.storing {
		if x.worker == worker {
			x.ended = true
		}
	}
}
