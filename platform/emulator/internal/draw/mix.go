// Package draw is how the emulator draws at random, the same for the same seed in every process.
package draw

// MixBits spreads the bits of x over the whole word (the finaliser of SplitMix64).
func MixBits(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
