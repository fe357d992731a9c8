package lease_test

import (
	"hash/fnv"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/lease"
)

// dice draws what depends on nothing but the seed and what it is drawn for.
type dice uint64

// roll returns a number below n for a purpose at a time.
func (d dice) roll(n int, what string, at time.Duration) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what))
	x := uint64(d)*0x9e3779b97f4a7c15 ^ h.Sum64() ^ uint64(at)*0xbf58476d1ce4e5b9
	x ^= x >> 31
	x *= 0x94d049bb133111eb
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	return int(x % uint64(n))
}

// span returns a time between two others.
func (d dice) span(from, to time.Duration, what string, at time.Duration) time.Duration {
	return from + time.Duration(d.roll(int(to-from)/1000+1, what, at))*1000
}

// ice holds a process up: whatever it does next happens when it is thawed.
type ice struct {
	mu     sync.Mutex
	frozen chan struct{} // nil when it is not
	since  time.Time
}

func (i *ice) freeze() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.frozen == nil {
		i.frozen, i.since = make(chan struct{}), time.Now()
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

func (i *ice) isFrozen() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.frozen != nil
}

// speed is how fast a steady clock goes, in thousandths.
type speed int

// watchOf is a process's clock: its own speed, its own time of day, and it stands still for the process while that is frozen.
type watchOf struct {
	began time.Time
	speed speed
	base  time.Duration

	mu   sync.Mutex
	wall time.Duration // how much the time of day is ahead
}

// steady is the steady clock as a bystander sees it.
func (c *watchOf) steady() time.Duration {
	return c.base + time.Since(c.began)*time.Duration(c.speed)/1000
}

// in returns how long it is until the steady clock shows a time.
func (c *watchOf) in(at time.Duration) time.Duration {
	return (at - c.steady()) * 1000 / time.Duration(c.speed)
}

func (c *watchOf) setWall(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = ahead
}

func (c *watchOf) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

// clock is what the process sees.
func (c *watchOf) clock(i *ice) lease.Clock {
	return lease.Clock{
		Steady: func() time.Duration { i.pass(); return c.steady() },
		Wall:   func() time.Time { i.pass(); return time.Now().Add(c.ahead()) },
	}
}
