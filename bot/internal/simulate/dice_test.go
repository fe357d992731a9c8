package simulate_test

import (
	"context"
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
	wakes  map[int64][]string // by nanosecond: who waits until then
}

func newDice(seed uint64) *dice {
	return &dice{seed: seed, counts: map[string]uint64{}, wakes: map[int64][]string{}}
}

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

// wait waits for a drawn time; dark ends it, as ctx does. Those who drew one instant go on a nanosecond after one
// another, in the order of their names: goroutines that wake at one instant run in any order.
func (d *dice) wait(ctx context.Context, dark <-chan struct{}, pause time.Duration, name string) error {
	wake := d.enter(pause, name)
	for pause > 0 {
		t := time.NewTimer(pause)
		select {
		case <-dark:
			t.Stop()
			return errDark
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
		pause, wake = d.others(wake, name), 0
	}
	return nil
}

// enter notes who wakes after a pause, long before others ask for it, and returns the instant.
func (d *dice) enter(pause time.Duration, name string) int64 {
	wake := time.Now().Add(pause).UnixNano()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wakes[wake] = append(d.wakes[wake], name)
	return wake
}

// others returns a nanosecond for each of those who go on before name.
func (d *dice) others(wake int64, name string) (pause time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.wakes[wake] {
		if other < name {
			pause++
		}
	}
	return pause
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
