package rehearse

import (
	"math"
	"time"
)

// ceilingRoom returns how much may be said until the ceiling is reached.
func (r *Rehearsal) ceilingRoom() int {
	if r.Full {
		return 0
	}
	return math.MaxInt
}

// Outage lets time pass in which nothing happens: what comes due meanwhile is late.
func (r *Rehearsal) Outage(d time.Duration) { r.now = r.now.Add(d) }
