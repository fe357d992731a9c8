package lease

import (
	"time"
)

// Until returns until when a gate is open.
func (g *Guard) Until() time.Duration { return time.Duration(g.until.Load()) }

// Strangers tells whose time of day nobody should go by.
func Strangers(ahead map[int64]time.Duration) map[int64]bool { return strangers(ahead) }

// What others differ by.
const (
	WallTolerance = wallTolerance
	MaxMoves      = maxMoves
)
