package simulate_test

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/lease/leasetest"
)

// clockOf is the clock of a worker's process. For one that is dead it is late.
type clockOf struct {
	*leasetest.Clock
	hand    *hand
	watched atomic.Bool // by a judge, at this moment
}

// clock is what the process sees.
func (c *clockOf) clock() lease.Clock {
	seen := c.Seen()
	return lease.Clock{Wall: seen.Wall, Steady: func() time.Duration {
		now := seen.Steady()
		if c.hand.power.out.Load() {
			return math.MaxInt64
		}
		return now
	}}
}

// atGuard is what the process sees at its guard, where it may freeze between a look and what follows from it.
func (c *clockOf) atGuard() lease.Clock {
	clock := c.clock()
	return lease.Clock{Wall: clock.Wall, Steady: func() time.Duration {
		if c.watched.Load() {
			return c.Steady()
		}
		now := clock.Steady()
		c.hand.freeze(c.hand.atGuard.Swap(nil), "at the gate")
		return now
	}}
}
