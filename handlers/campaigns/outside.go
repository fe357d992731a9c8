package campaigns

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// Outsider is something that the account publishes and that no campaign decided: a rule, a program.
type Outsider struct {
	Key   string    // another one for each
	At    time.Time // when it left, or is to leave
	Apart time.Duration
	Post  string // PostKey of what it published; "" while that is not known
	Done  bool   // it has happened
	Over  bool   // nothing of it changes any more
}

// unreadFor is for how long something that was decided may be missing where publications are read.
const unreadFor = 2 * time.Minute

// Since returns from when on the account's publications are to be read for Outside.
func (u *Uses) Since(now time.Time, budget text.Limit) time.Time {
	if u.Upto.IsZero() {
		return now.Add(-max(keep, budget.Per))
	}
	if late := now.Add(-unreadFor); late.Before(u.Upto) { // the clock was set back
		return late
	}
	return u.Upto
}

// Outside returns the uses with what rules and programs publish: all that was published, or is to be, since a time that Since has
// told. What was read before is replaced by what is read now, so each counts once; what does not come about counts no more.
func (u *Uses) Outside(all []Outsider, since, now time.Time, budget text.Limit, read int) Uses {
	stale := func(p published) bool { return p.Of != "" && !p.At.Before(since) }
	if len(all) == 0 && !u.Upto.IsZero() && read < manyRead && !slices.ContainsFunc(u.Published, stale) {
		return *u
	}
	c := u.clone()
	c.Published = slices.DeleteFunc(c.Published, stale) //mutate:publishing-once
	c.Upto = now.Add(-unreadFor)
	for i := range all {
		o := &all[i]
		at := o.At
		if !o.Over {
			c.Upto = earlier(c.Upto, at) //mutate:publishing-upto
			at = laterTime(at, now)      // it leaves as soon as it may
		}
		c.put(published{At: at, Apart: o.Apart, Of: o.Key, Late: true})
		if o.Done && o.Post != "" {
			p := c.Posts[o.Post]
			p.Last = laterTime(p.Last, at)
			c.set(o.Post, p)
		}
	}
	c.forgetOld(now.Add(-max(keep, budget.Per)))
	return c
}

// manyRead is how many publications are read again before Since tells a later time: that is kept with what most turns change anyway.
const manyRead = 4

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
