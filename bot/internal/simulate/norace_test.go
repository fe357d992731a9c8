//go:build !race

package simulate_test

// How many seeds are simulated unless told otherwise, how often one of them is repeated, and which share of a renewal's kill
// points is tried: one of so many.
const (
	usualSeeds    = 400
	usualRepeats  = 20
	usualRenewals = 20
	racing        = false
)
