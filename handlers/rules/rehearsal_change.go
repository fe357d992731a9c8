package rules

import "time"

// Version returns the rules that the rehearsal is of.
func (r *Rehearsal) Version() *Version { return r.v }

// Outage lets time pass in which nothing happens: what comes due meanwhile is late.
func (r *Rehearsal) Outage(d time.Duration) { r.now = r.now.Add(d) }
