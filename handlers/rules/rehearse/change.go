package rehearse

import (
	"math"
	"time"

	"github.com/nectar-bot/nectar/handlers/rules"
)

// Version returns the rules that the rehearsal is of.
func (r *Rehearsal) Version() *rules.Version { return r.v }

// room returns how much may be said until the ceiling is reached.
func (r *Rehearsal) room() int {
	if r.Full {
		return 0
	}
	return math.MaxInt
}

// Outage lets time pass in which nothing happens: what comes due meanwhile is late.
func (r *Rehearsal) Outage(d time.Duration) { r.now = r.now.Add(d) }
