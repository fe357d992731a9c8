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
	sl := &slot{poller: p, due: time.Now()}
	s.items[p] = sl
	p.tellDemand()
	heap.Push(&s.queue, sl)
	s.wake()
}

// Remove takes a poller out of the schedule. A cycle under way is cancelled, and Remove returns when
// it is over; it must not be called from the poller's own Sink or Observe.
func (s *Schedule) Remove(p *Poller) {
	s.mu.Lock()
	sl := s.items[p]
	if sl == nil {
		s.mu.Unlock()
		return
	}
	delete(s.items, p)
	if sl.place >= 0 {
		heap.Remove(s.queueOfLocked(sl), sl.place)
		p.leaveBudget()
		s.mu.Unlock()
		return
	}
	sl.over = make(chan struct{})
	if sl.stop != nil {
		sl.stop()
	}
	s.mu.Unlock()
	<-sl.over
}

// MakeDue makes a poller due now: something happened that the platform will show. During a cycle, it is
// due again when that is over; one that begins at this instant is what was asked for.
func (s *Schedule) MakeDue(p *Poller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if sl := s.items[p]; sl != nil && sl.place < 0 && sl.began.Equal(now) {
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
	sl := s.items[p]
	switch {
	case sl == nil:
	case sl.place < 0:
		sl.kicked = true
	case sl.waits != nil:
		if q := sl.crowd.queueOfLocked(sl); q != sl.waits { // it is active now
			heap.Remove(sl.waits, sl.place)
			s.waitLocked(sl, sl.crowd)
		}
	case at.Before(sl.due):
		sl.due = at
		heap.Fix(&s.queue, sl.place)
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
		// Set anew each time: an account that was woken may be due before the one that the timer was set for.
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
		var sl *slot
		if sl, wait = s.takeLocked(); sl == nil {
			break
		}
		s.busy++
		group.Go(func() { s.runCycles(ctx, sl) })
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
func (s *Schedule) takeLocked() (sl *slot, wait time.Duration) {
	now := time.Now()
	s.gatherLocked(now)
	if len(s.queue) > 0 && !s.queue[0].due.After(now) {
		sl, _ = heap.Pop(&s.queue).(*slot)
		sl.began = now
		return sl, 0
	}
	if len(s.crowds) == 0 {
		return nil, 0
	}
	return s.admitLocked()
}

// runCycles runs cycles for as long as any are due.
func (s *Schedule) runCycles(ctx context.Context, sl *slot) {
	for sl != nil {
		s.run(ctx, sl)
		sl = s.finish(ctx, sl)
	}
}

// run runs one cycle, unless the poller was removed meanwhile.
func (s *Schedule) run(ctx context.Context, sl *slot) {
	if sl.under != nil {
		ctx = sl.under(ctx)
		defer sl.end()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.mu.Lock()
	sl.stop = stop
	removed := sl.over != nil
	s.mu.Unlock()
	if !removed {
		// The poller reports its failures itself, and says in Next what follows from them.
		_, _ = sl.poller.Poll(ctx)
	}
}

// finish puts an item back into the queue and returns the next one for the same worker, nil if none
// is due.
func (s *Schedule) finish(ctx context.Context, sl *slot) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	sl.stop, sl.under, sl.end = nil, nil, nil
	if sl.over != nil {
		sl.poller.leaveBudget()
		close(sl.over)
	} else {
		sl.poller.tellDemand()
		sl.due = sl.poller.Next(time.Now())
		if sl.kicked {
			sl.due, sl.kicked = time.Now(), false
		}
		heap.Push(&s.queue, sl)
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
func (s *Schedule) queueOfLocked(sl *slot) *queue {
	if sl.waits != nil {
		return sl.waits
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
	sl, _ := x.(*slot)
	sl.place = len(*q)
	*q = append(*q, sl)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	sl := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	sl.place = -1
	return sl
}

// The ends of the adaptive range, as shares of the interval, and the shortest pause.
const (
	shortestShare = 5
	ceilingShare  = 4
	shortest      = 50 * time.Millisecond
)

// pace is the adaptive pause between cycles: shorter while events come, longer while none do.
type pace struct {
	shortest, ceiling, current time.Duration
	draw                       uint64
}

func newPace(interval time.Duration, seed uint64) pace {
	return pace{
		shortest: min(interval, max(interval/shortestShare, shortest)),
		ceiling:  interval * ceilingShare,
		current:  interval,
		draw:     seed,
	}
}

func (p *pace) adaptPace(busy bool) {
	if busy {
		p.current = max(p.shortest, p.current/2)
	} else {
		p.current = min(p.ceiling, p.current+p.current/2)
	}
}

// pause returns the pause until the next cycle, with ±10 % of jitter so that accounts drift apart.
func (p *pace) pause() time.Duration {
	p.draw = mixBits(p.draw + 1)
	tenth := int64(p.current / 10)
	if tenth == 0 {
		return p.current
	}
	return p.current + time.Duration(int64(p.draw>>1)%(2*tenth+1)-tenth)
}

// mixBits spreads the bits of x, the finaliser of SplitMix64.
func mixBits(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
