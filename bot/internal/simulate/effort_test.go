package simulate_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// usual returns one of these numbers: for everything, for what go test does by itself, with -short, and with the race detector.
func usual(all, few, short, raced int) int {
	switch {
	case racing:
		return raced
	case testing.Short():
		return short
	case effort.Few():
		return few
	}
	return all
}

// usualSeeds returns how many seeds are simulated unless told otherwise.
func usualSeeds() int { return usual(500, 40, 2, 6) }

// usualRepeats returns how often one of them is repeated.
func usualRepeats() int { return usual(5, 3, 1, 1) }

// usualRenewals returns which share of a renewal's kill points is tried: one of so many.
func usualRenewals() int { return usual(20, 50, 100, 100) }
