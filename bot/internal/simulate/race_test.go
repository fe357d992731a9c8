//go:build race

package simulate_test

// There are fewer runs with the race detector, which makes each take ten times as long.
const (
	usualSeeds    = 12
	usualRepeats  = 2
	usualRenewals = 100
	racing        = true
)
