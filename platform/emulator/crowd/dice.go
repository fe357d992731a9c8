package crowd

import (
	"math"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator/internal/draw"
)

// dice draws the same numbers for the same seed and purpose.
type dice struct{ state uint64 }

// Purposes keep what is drawn for one thing apart from what is drawn for another.
const (
	forCharacter uint64 = iota + 1
	forWords
	forPause
	forReaction
	forMoment
)

// newDice returns the dice of a person, by number in the crowd, for the n-th time.
func newDice(seed uint64, person, n int, purpose uint64) *dice {
	return &dice{draw.MixBits(draw.MixBits(draw.MixBits(seed^purpose<<56)+uint64(max(0, person))) + uint64(max(0, n)))}
}

func (d *dice) next() uint64 {
	d.state = draw.MixBits(d.state)
	return d.state
}

// numberBelow returns a number from 0 to n-1.
func (d *dice) numberBelow(n int) int { return int(d.drawUnit() * float64(n)) }

// drawUnit returns a number from 0 to 1, exclusive of 1.
func (d *dice) drawUnit() float64 { return float64(d.next()>>11) / (1 << 53) }

// hasChance reports whether something happens that happens in percent of 100 cases.
func (d *dice) hasChance(percent int) bool { return d.numberBelow(100) < percent }

// pause returns a waiting time: most are short, a few up to four times the mean.
func (d *dice) pause(mean time.Duration) time.Duration {
	stretch := min(-math.Log(1-d.drawUnit()), 4)
	return time.Duration(float64(mean) * stretch)
}

func pickOne[T any](d *dice, from []T) T { return from[d.numberBelow(len(from))] }
