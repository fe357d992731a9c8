package leasetest

import (
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// Clock is the clock of a process: with a speed and a time of day of its own. While the process is frozen it does not see it.
type Clock struct {
	ice   *Ice
	began time.Time
	base  time.Duration
	speed int64

	mu    sync.Mutex // guards the field below
	ahead time.Duration
}

// NewClock returns a clock that shows base now, goes so many thousandths as fast as time does, and whose time of day is ahead by so much.
func NewClock(ice *Ice, base time.Duration, speed int64, ahead time.Duration) *Clock {
	return &Clock{ice: ice, began: time.Now(), base: base, speed: speed, ahead: ahead}
}

// Steady is the steady clock as a bystander sees it.
func (c *Clock) Steady() time.Duration {
	return c.base + time.Since(c.began)*time.Duration(c.speed)/1000
}

// TimeUntil returns how long it is until the steady clock shows a time.
func (c *Clock) TimeUntil(at time.Duration) time.Duration {
	return (at - c.Steady()) * 1000 / time.Duration(c.speed)
}

// Set sets the time of day.
func (c *Clock) Set(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = ahead
}

// Ahead returns how much the time of day is ahead.
func (c *Clock) Ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead
}

// Seen is what the process sees.
func (c *Clock) Seen() lease.Clock {
	return lease.Clock{
		Steady: func() time.Duration { c.ice.WaitForThaw(); return c.Steady() },
		Wall:   func() time.Time { c.ice.WaitForThaw(); return time.Now().Add(c.Ahead()) },
	}
}
