package lease

import (
	"time"
)

// Until returns until when a guard is open.
func (g *Guard) Until() time.Duration { return time.Duration(g.until.Load()) }

// Outliers tells whose time of day nobody should go by.
func Outliers(ahead map[int64]time.Duration) map[int64]bool { return findOutliers(ahead) }

// What others differ by.
const (
	WallTolerance = wallTolerance
	MaxMoves      = maxMoves
)
