package lease_test

import (
	"hash/fnv"
	"time"
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
