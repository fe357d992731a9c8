//go:build !race

package simulate_test

// How many seeds are simulated unless told otherwise, and how often one of them is repeated.
const (
	usualSeeds   = 500
	usualRepeats = 20
)
