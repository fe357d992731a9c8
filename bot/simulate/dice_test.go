package simulate_test

import (
	"hash/fnv"
	"sync"
	"time"
)

// dice draws numbers for what happens: the same ones for the same thing, in whatever order it is
// asked. What happens again draws anew.
type dice struct {
	seed uint64

	mu     sync.Mutex
	counts map[string]uint64
}

func newDice(seed uint64) *dice { return &dice{seed: seed, counts: map[string]uint64{}} }

// draw returns a number for what happens.
func (d *dice) draw(what string) draw {
	d.mu.Lock()
	d.counts[what]++
	n := d.counts[what]
	d.mu.Unlock()
	h := fnv.New64a()
	_, _ = h.Write([]byte(what)) // a hash takes everything
	return draw{time: n, x: mix(mix(d.seed^h.Sum64()) + n)}
}

// draw is a number from which others follow.
type draw struct {
	time uint64 // how often it was drawn for the same thing
	x    uint64
}

// n returns a number below n, and moves on.
func (d *draw) n(n int64) int64 {
	d.x = mix(d.x + 0x9e3779b97f4a7c15)
	return int64(d.x>>1) % n
}

// between returns a time from least up to below most, to the nanosecond.
func (d *draw) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.n(int64(most-least)))
}

// mix spreads the bits of x, the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
