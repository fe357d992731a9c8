package simulate_test

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/lease"
)

// ice holds a process up: whatever it does next happens when it is thawed.
type ice struct {
	mu     sync.Mutex
	frozen chan struct{} // nil when it is not
}

func (i *ice) freeze() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.frozen == nil {
		i.frozen = make(chan struct{})
	}
}

func (i *ice) thaw() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.frozen != nil {
		close(i.frozen)
		i.frozen = nil
	}
}

// pass returns when the process runs.
func (i *ice) pass() {
	for {
		i.mu.Lock()
		frozen := i.frozen
		i.mu.Unlock()
		if frozen == nil {
			return
		}
		<-frozen
	}
}

// clockOf is the clock of a worker's process: with a speed and a time of day of its own. A process that is frozen does not see it, and
// for one that is dead it is late.
type clockOf struct {
	hand  *hand
	began time.Time
	base  time.Duration
	speed int64 // in thousandths

	watched atomic.Bool // by a judge, at this moment

	mu    sync.Mutex
	ahead time.Duration // the time of day
}

// steady is the steady clock as a bystander sees it.
func (c *clockOf) steady() time.Duration {
	return c.base + time.Since(c.began)*time.Duration(c.speed)/1000
}

// in returns how long it is until the steady clock shows a time.
func (c *clockOf) in(at time.Duration) time.Duration {
	return (at - c.steady()) * 1000 / time.Duration(c.speed)
}

func (c *clockOf) set(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = ahead
}

// clock is what the process sees.
func (c *clockOf) clock() lease.Clock {
	return lease.Clock{
		Steady: func() time.Duration {
			c.hand.ice.pass()
			if c.hand.power.out.Load() {
				return math.MaxInt64
			}
			return c.steady()
		},
		Wall: func() time.Time {
			c.hand.ice.pass()
			c.mu.Lock()
			defer c.mu.Unlock()
			return time.Now().Add(c.ahead)
		},
	}
}

// atGate is what the process sees at its gate, where it may freeze between a look and what follows from it.
func (c *clockOf) atGate() lease.Clock {
	clock := c.clock()
	return lease.Clock{Wall: clock.Wall, Steady: func() time.Duration {
		if c.watched.Load() {
			return c.steady()
		}
		now := clock.Steady()
		c.hand.freeze(c.hand.atGate.Swap(nil), "at the gate")
		return now
	}}
}

// bomb is the deadman of a process.
type bomb struct {
	hand *hand
	mu   sync.Mutex
	fuse *time.Timer
}

// Arm implements lease.Deadman.
func (b *bomb) Arm(until time.Duration) error {
	_ = b.Disarm()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fuse = time.AfterFunc(b.hand.clock.in(until), func() { b.hand.kill("its lease is over") })
	return nil
}

// Disarm implements lease.Deadman.
func (b *bomb) Disarm() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fuse != nil {
		b.fuse.Stop()
	}
	return nil
}
