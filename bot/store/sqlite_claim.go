package store

import (
	"math"
	"time"
)

const (
	// clockSlack is how far a clock may have been ahead and set back without a difference to limits: what
	// was claimed later than that counts for nothing, and what has ended stays so long.
	clockSlack = 24 * time.Hour

	sweepPause = time.Minute // between two sweeps, when little is left over
	sweepRush  = time.Second // the same while more is left than one takes
	sweepLimit = 500         // claims per sweep
)

// takeClaims takes all claims of an action, or none; it returns the name of the limit that denied it.
func (a *applier) takeClaims(x *Action, at time.Time) (string, error) {
	for i, c := range x.Claims {
		since, until, ends := int64(0), int64(math.MaxInt64), int64(math.MaxInt64)
		if c.Within > 0 {
			since, until, ends = micros(at.Add(-c.Within)), micros(at.Add(clockSlack)), micros(at.Add(c.Within))
			if _, err := a.expire.key(x.Account).str(c.Limit).str(c.Scope).at(at).run(); err != nil {
				return "", err
			}
		}
		n, err := a.claim.key(x.Account).str(c.Limit).str(c.Scope).str(x.Key).at(at).int(ends).int(int64(c.Max)).int(since).int(until).run()
		if err != nil {
			return "", err
		}
		if n > 0 {
			continue
		}
		for _, taken := range x.Claims[:i] {
			if _, err := a.unclaim.key(x.Account).str(taken.Limit).str(taken.Scope).str(x.Key).run(); err != nil {
				return "", err
			}
		}
		return c.Limit, nil
	}
	return "", nil
}

// sweepClaims deletes claims that have stopped to count, a few with a group now and then: those of people
// who wrote once would stay for ever.
func (a *applier) sweepClaims(g *group) error {
	var at time.Time
	for i := range g.writes {
		if t := g.writes[i].Turn; t != nil {
			at = t.At
		}
	}
	if at.IsZero() || !at.Before(a.swept) && at.Sub(a.swept) < a.pause {
		return nil
	}
	n, err := a.sweep.at(at.Add(-clockSlack)).int(sweepLimit).run()
	if err != nil {
		return err
	}
	if a.swept, a.pause = at, sweepPause; n == sweepLimit {
		a.pause = sweepRush
	}
	return nil
}
