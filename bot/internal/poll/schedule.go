package poll

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// Schedule runs the cycles of any number of pollers, each when it is due, on a bounded number of
// workers. An idle poller costs a place in a heap; a worker is a goroutine that ends when nothing is
// due. All methods may be called at the same time.
type Schedule struct {
	woken chan struct{}

	mu      sync.Mutex // guards the fields below
	workers int
	items   map[*Poller]*slot
	queue   queue
	crowds  map[any]*crowd // by what pollers share
	busy    int            // workers
	running bool
}

// slot is a poller in a schedule.
type slot struct {
	poller *Poller
	due    time.Time
	began  time.Time // the last cycle
	place  int       // in the queue; -1 while a cycle is under way
	kicked bool      // it is due again as soon as the cycle is over
	stop   context.CancelFunc
	over   chan struct{} // closed with the end of the cycle; made by Remove

	// Under a budget:
	crowd *crowd                                // in which it waits; nil while it does not
	waits *queue                                // of that
	under func(context.Context) context.Context // makes the context for the requests of the cycle
	end   func()
}

// ErrRunning says that Run was called while it was running.
var ErrRunning = errors.New("the schedule is running already")

// NewSchedule returns a Schedule with so many workers, at least one. A worker is busy for as long as
// a cycle takes, which is mostly waiting for the platform.
func NewSchedule(workers int) *Schedule {
	return &Schedule{workers: max(1, workers), woken: make(chan struct{}, 1), items: map[*Poller]*slot{}, crowds: map[any]*crowd{}}
}

// Resize changes the number of workers.
func (s *Schedule) Resize(workers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.workers = max(1, workers)
	s.wake()
}

// Add puts a poller into the schedule, due at once. One that is there already stays as it is.
func (s *Schedule) Add(p *Poller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items[p] != nil {
		return
	}
	it := &slot{poller: p, due: time.Now()}
	s.items[p] = it
	p.demand()
	heap.Push(&s.queue, it)
	s.wake()
}

// Remove takes a poller out of the schedule. A cycle under way is cancelled, and Remove returns when
// it is over; it must not be called from the poller's own Sink or Observe.
func (s *Schedule) Remove(p *Poller) {
	s.mu.Lock()
	it := s.items[p]
	if it == nil {
		s.mu.Unlock()
		return
	}
	delete(s.items, p)
	if it.place >= 0 {
		heap.Remove(s.queueOfLocked(it), it.place)
		p.leave()
		s.mu.Unlock()
		return
	}
	it.over = make(chan struct{})
	if it.stop != nil {
		it.stop()
	}
	s.mu.Unlock()
	<-it.over
}

// Kick makes a poller due now: something happened that the platform will show. During a cycle, it is
// due again when that is over; one that begins at this instant is what was asked for.
func (s *Schedule) Kick(p *Poller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if it := s.items[p]; it != nil && it.place < 0 && it.began.Equal(now) {
		return
	}
	s.kickLocked(p, now)
}

// KickAt makes a poller due at a time, unless it is earlier. During a cycle, it is due again when that is over.
func (s *Schedule) KickAt(p *Poller, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kickLocked(p, at)
}

func (s *Schedule) kickLocked(p *Poller, at time.Time) {
	it := s.items[p]
	switch {
	case it == nil:
	case it.place < 0:
		it.kicked = true
	case it.waits != nil:
		if q := it.crowd.queueOfLocked(it); q != it.waits { // it is active now
			heap.Remove(it.waits, it.place)
			s.waitLocked(it, it.crowd)
		}
	case at.Before(it.due):
		it.due = at
		heap.Fix(&s.queue, it.place)
		s.wake()
	}
}

// Run runs the schedule until ctx ends and the cycles under way are over. It returns nil then.
func (s *Schedule) Run(ctx context.Context) error {
	s.mu.Lock()
	if s.running {
		s.mu.Unlock()
		return ErrRunning
	}
	s.running = true
	s.mu.Unlock()
	var group sync.WaitGroup
	defer func() {
		group.Wait()
		s.mu.Lock()
		s.running = false
		s.mu.Unlock()
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.woken:
		}
		// Set anew each time, as whoever was woken may be due before whoever the timer was set for.
		if next, waits := s.launch(ctx, &group); waits {
			timer.Reset(time.Until(next))
		} else {
			timer.Stop()
		}
	}
}

// launch starts workers for what is due. It returns when the next poller is due; waits is false when
// somebody will wake the schedule before anything can be done.
func (s *Schedule) launch(ctx context.Context, group *sync.WaitGroup) (next time.Time, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var wait time.Duration // for a budget
	for s.busy < s.workers {
		var it *slot
		if it, wait = s.takeLocked(); it == nil {
			break
		}
		s.busy++
		group.Go(func() { s.work(ctx, it) })
	}
	switch {
	case s.busy >= s.workers:
		return time.Time{}, false
	case wait > 0:
		next, waits = time.Now().Add(wait), true
	}
	if len(s.queue) > 0 && (!waits || s.queue[0].due.Before(next)) {
		next, waits = s.queue[0].due, true
	}
	return next, waits
}

// takeLocked returns the next item that is due, and may begin; nil if none is, with how long it takes until there may be something left of a
// budget.
func (s *Schedule) takeLocked() (it *slot, wait time.Duration) {
	now := time.Now()
	s.gatherLocked(now)
	if len(s.queue) > 0 && !s.queue[0].due.After(now) {
		it, _ = heap.Pop(&s.queue).(*slot)
		it.began = now
		return it, 0
	}
	if len(s.crowds) == 0 {
		return nil, 0
	}
	return s.admitLocked()
}

// work runs cycles for as long as any are due.
func (s *Schedule) work(ctx context.Context, it *slot) {
	for it != nil {
		s.run(ctx, it)
		it = s.finish(ctx, it)
	}
}

// run runs one cycle, unless the poller was removed meanwhile.
func (s *Schedule) run(ctx context.Context, it *slot) {
	if it.under != nil {
		ctx = it.under(ctx)
		defer it.end()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.mu.Lock()
	it.stop = stop
	removed := it.over != nil
	s.mu.Unlock()
	if !removed {
		// The poller reports its failures itself, and says in Next what follows from them.
		_, _ = it.poller.Poll(ctx)
	}
}

// finish puts an item back into the queue and returns the next one for the same worker, nil if none
// is due.
func (s *Schedule) finish(ctx context.Context, it *slot) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	it.stop, it.under, it.end = nil, nil, nil
	if it.over != nil {
		it.poller.leave()
		close(it.over)
	} else {
		it.poller.demand()
		it.due = it.poller.Next(time.Now())
		if it.kicked {
			it.due, it.kicked = time.Now(), false
		}
		heap.Push(&s.queue, it)
	}
	if ctx.Err() == nil && s.busy <= s.workers {
		if next, _ := s.takeLocked(); next != nil {
			return next
		}
	}
	s.busy--
	s.wake()
	return nil
}

// queueOfLocked returns the queue in which an item is that is not under way.
func (s *Schedule) queueOfLocked(it *slot) *queue {
	if it.waits != nil {
		return it.waits
	}
	return &s.queue
}

// wake makes Run look again.
func (s *Schedule) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// queue is a heap of items by when they are due.
type queue []*slot

// Len implements heap.Interface.
func (q queue) Len() int { return len(q) }

// Less implements heap.Interface.
func (q queue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }

// Swap implements heap.Interface.
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	it, _ := x.(*slot)
	it.place = len(*q)
	*q = append(*q, it)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	it := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	it.place = -1
	return it
}
