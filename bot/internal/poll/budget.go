package poll

import (
	"container/heap"
	"context"
	"time"
)

// Budget is what a host has left for the polls of an account, beside those of others. A Schedule lets cycles begin as it allows: those of
// active accounts first, and among them whose cycle is due for longest.
type Budget interface {
	// IsLimited reports whether there is a limit at the moment.
	IsLimited() bool
	// SharedKey returns what is equal for all accounts that share one limit.
	SharedKey() any
	// Begin begins a cycle when there is something left for its first request: it returns what makes the context for its requests, and
	// what is to be called at its end. Otherwise it returns how long it takes until it makes sense to ask again. late tells that the
	// cycle has waited already.
	Begin(late bool) (under func(context.Context) context.Context, end func(), wait time.Duration)
	// NoteDemand is told how many requests a second the account's polls would make, whenever that has changed; 0 at the end.
	NoteDemand(perSecond float64)
}

// crowd are pollers that are due, and share a limit.
type crowd struct {
	active, idle queue
	begun        int // cycles, while both waited
}

// oldestTurn is every how many cycles it is the turn of the poller that is due for longest, active or not.
const oldestTurn = 4

// queueOfLocked returns the queue in which a poller that is due waits.
func (c *crowd) queueOfLocked(sl *slot) *queue {
	if sl.poller.isActive() { //mutate:active-first
		return &c.active
	}
	return &c.idle
}

// firstQueue returns the queue whose first one may begin next; nil when nobody waits.
func (c *crowd) firstQueue() *queue {
	switch {
	case len(c.active) == 0 && len(c.idle) == 0:
		return nil
	case len(c.active) == 0:
		return &c.idle
	case len(c.idle) == 0:
		return &c.active
	case c.begun%oldestTurn == oldestTurn-1 && c.idle[0].due.Before(c.active[0].due): //mutate:oldest-turn
		return &c.idle
	}
	return &c.active
}

// gatherLocked lets the pollers that are due and have a limit wait for it.
func (s *Schedule) gatherLocked(now time.Time) {
	for len(s.queue) > 0 && !s.queue[0].due.After(now) && s.queue[0].limited() {
		sl, _ := heap.Pop(&s.queue).(*slot)
		key := sl.poller.cfg.Budget.SharedKey()
		c := s.crowds[key]
		if c == nil {
			c = &crowd{}
			s.crowds[key] = c
		}
		s.waitLocked(sl, c)
	}
}

// waitLocked lets a poller wait for its budget.
func (s *Schedule) waitLocked(sl *slot, c *crowd) {
	q := c.queueOfLocked(sl)
	sl.crowd, sl.waits = c, q
	heap.Push(q, sl)
}

// admitLocked returns a poller that may begin its cycle, nil if there is none, and how long it takes until there may be one; 0 if nobody waits.
func (s *Schedule) admitLocked() (sl *slot, wait time.Duration) {
	for key, c := range s.crowds {
		q := c.firstQueue()
		if q == nil {
			delete(s.crowds, key)
			continue
		}
		first := (*q)[0]
		under, end, pause := first.poller.cfg.Budget.Begin(time.Since(first.due) > shortest)
		if under == nil {
			if wait == 0 || pause < wait {
				wait = pause
			}
			continue
		}
		// Only while both wait: idle ones must not save up turns for when active ones come.
		if len(c.active) > 0 && len(c.idle) > 0 {
			c.begun++
		}
		heap.Pop(q)
		first.crowd, first.waits = nil, nil
		first.under, first.end, first.began = under, end, time.Now()
		return first, 0
	}
	return nil, wait
}

// limited reports whether a poller has to wait for a budget.
func (s *slot) limited() bool {
	b := s.poller.cfg.Budget
	return b != nil && b.IsLimited()
}

// isActive reports whether something goes on with the account.
func (p *Poller) isActive() bool {
	return p.more || !p.lively.IsZero() && time.Since(p.lively) < livelyFor*p.cfg.Interval || p.cfg.Bot.IsActive()
}

// livelyFor is for how many intervals after its last event an account is active.
const livelyFor = 10

// firstCycle is how many requests a cycle is taken for as long as nobody knows: one for each list.
const firstCycle = 3

// pause returns the pause until the next cycle. Under a budget it is never longer than the ceiling, for all its jitter.
func (p *Poller) pause() time.Duration {
	pause := p.pace.pause()
	if p.cfg.Budget != nil && p.cfg.Budget.IsLimited() {
		pause = min(pause, p.pace.ceiling)
	}
	return pause
}

// tellDemand tells the budget how many requests the poller would make.
func (p *Poller) tellDemand() {
	if p.cfg.Budget == nil {
		return
	}
	pause := max(p.pace.current, p.pace.shortest, shortest)
	p.cfg.Budget.NoteDemand(p.perCycle / pause.Seconds())
}

// leaveBudget tells the budget that the poller makes no more requests, and gives back what it has of the room.
func (p *Poller) leaveBudget() {
	for _, s := range p.sources {
		s.abandonReads()
	}
	if p.cfg.Budget != nil {
		p.cfg.Budget.NoteDemand(0)
	}
}

// noteCalls notes how many requests a cycle has made.
func (p *Poller) noteCalls(calls int) {
	if calls > 0 { // otherwise nothing of the account can be asked
		p.perCycle = (p.perCycle*3 + float64(calls)) / 4
	}
}
