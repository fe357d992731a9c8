package store

import (
	"cmp"
	"math"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
)

const (
	// clockSlack is how far a clock may have been ahead and set back without a difference to limits: what
	// was taken later than that counts for nothing, and what has ended stays so long.
	clockSlack = 24 * time.Hour

	sweepPause = time.Minute // between two sweeps, when little is left over
	sweepRush  = time.Second // the same while more is left than one takes
	sweepLimit = 500         // limit uses per sweep

	mostExpired = 10_000 // limits; of so many it is remembered when their uses were deleted last
)

// useLimits takes all limit uses for what has this key, an action or a trigger, or none; it returns the name of
// the limit that denied it.
func (a *applier) useLimits(account event.Account, key string, limitUses []event.LimitUse, at time.Time) (string, error) {
	for i := range limitUses {
		c := &limitUses[i]
		if err := a.expireUses(account, c, at); err != nil {
			return "", err
		}
		n, err := a.useLimit(account, cmp.Or(c.Of, key), c, at)
		if err != nil {
			return "", err
		}
		if n > 0 { //mutate:limit-use-taken
			continue
		}
		for _, taken := range limitUses[:i] {
			if err := a.revoke.key(account).str(taken.Limit).str(taken.Scope).str(cmp.Or(taken.Of, key)).do(); err != nil {
				return "", err
			}
		}
		return c.Limit, nil
	}
	return "", nil
}

// limitScope is what uses are counted by.
type limitScope struct {
	account      event.Account
	limit, scope string
}

// expireUses deletes uses of a limit that have stopped to count, eight times within the time that it looks back. They are not counted anyway; without that
// there would be more and more to count past.
func (a *applier) expireUses(account event.Account, c *event.LimitUse, at time.Time) error {
	key := limitScope{account, c.Limit, c.Scope}
	if last, ok := a.expired[key]; c.Within <= 0 || ok && !at.Before(last) && at.Sub(last) < c.Within/8 {
		return nil
	}
	if len(a.expired) >= mostExpired {
		clear(a.expired)
	}
	a.expired[key] = at
	//mutate:clock-slack
	return a.expire.key(account).str(c.Limit).str(c.Scope).at(at.Add(-min(c.Within, clockSlack))).do()
}

// useLimit takes a limit use for what has this key; 0 when it was denied.
func (a *applier) useLimit(account event.Account, key string, c *event.LimitUse, at time.Time) (int64, error) {
	if c.At.After(at) {
		at = c.At
	}
	ends := int64(math.MaxInt64)
	if c.Within > 0 {
		ends = bind.ToMicros(at.Add(c.Within))
	}
	if !c.At.IsZero() && c.Within > 0 { //mutate:publishing-around
		if len(c.Ahead) > 0 {
			ahead := make(bind.Numbers, len(c.Ahead))
			for i, t := range c.Ahead {
				ahead[i] = bind.ToMicros(t)
			}
			return a.useBeside.key(account).str(c.Limit).str(c.Scope).str(key).at(at).int(ends).int(int64(c.Max)).int(c.Within.Microseconds()).addNumbers(ahead).str(c.AheadOf).runUsual()
		}
		return a.useAround.key(account).str(c.Limit).str(c.Scope).str(key).at(at).int(ends).int(int64(c.Max)).int(c.Within.Microseconds()).runUsual()
	}
	since, until := useWindow(c, at)
	return a.grant.key(account).str(c.Limit).str(c.Scope).str(key).at(at).int(ends).int(int64(c.Max)).int(since).int(until).runUsual()
}

// deleteUnused deletes what is of no use any more, a few rows with a group now and then.
func (a *applier) deleteUnused(g *group) error {
	var at time.Time
	turns := 0
	for i := range g.writes {
		if t := g.writes[i].Turn; t != nil {
			at = t.At
			turns++
		}
	}
	if turns == 0 {
		return nil
	}
	if err := a.sweepLimitUses(at); err != nil {
		return err
	}
	return a.retainBite(at, turns)
}

// sweepLimitUses deletes limit uses that have stopped to count: those of people who wrote once would stay for ever.
func (a *applier) sweepLimitUses(at time.Time) error {
	if !at.Before(a.swept) && at.Sub(a.swept) < a.pause {
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
