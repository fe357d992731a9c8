package cmd

import (
	"fmt"
	"slices"
	"time"
)

// care is how well accounts were looked after, as the times of the requests tell that the platform has got for them.
type care struct {
	// From an incident to the first request of another worker, for each account of the worker that it befell.
	taken [incidentKinds][]time.Duration
	// Those of them of which no other incident went on in that time.
	clear []time.Duration
	// What took longest of that.
	longest string
	most    time.Duration
	// The longest time without a request, of the accounts that waited for their own worker, or for the database.
	alone [incidentKinds][]time.Duration
	// From the last request of a worker that nothing had befallen to the first one of another one.
	handed []time.Duration
	// Actions that such a worker has left in doubt.
	doubts int
}

// doubt is what a worker finds when it takes over an account: an action that had left, and whose answer nobody has stored.
type doubt struct {
	account string
	life    int // who has found it
	at      time.Time
	left    time.Time
}

// aftermath is for how long after its end an incident explains what happens to accounts.
const aftermath = 10 * time.Second

// judgeCare compares the visits of accounts with what befell their workers.
func judgeCare(visits map[string][]spell, incidents []*incident, doubts []doubt) *care {
	c := &care{}
	for _, i := range incidents {
		for account, spells := range visits {
			c.after(i, account, spells, incidents)
		}
	}
	for account, spells := range visits {
		for n := 1; n < len(spells); n++ {
			from, to := spells[n-1], spells[n]
			if from.life == to.life || struck(from, to, incidents) {
				continue
			}
			c.handed = append(c.handed, to.from.Sub(from.to))
			began := spells[n-1].from
			for b := n - 1; b >= 0 && spells[b].life == from.life; b-- {
				began = spells[b].from
			}
			for _, d := range doubts { // it looks before its first request, if not long before
				if d.account == account && d.life == to.life && d.left.After(began) && d.at.After(from.from) && d.at.Before(to.from.Add(time.Second)) {
					c.doubts++
				}
			}
		}
	}
	return c
}

// struck tells whether something befell one of two workers while an account went from the one to the other, or not long before.
func struck(from, to spell, incidents []*incident) bool {
	return slices.ContainsFunc(incidents, func(i *incident) bool {
		return i.kind != byDeploy && (i.life == 0 || i.life == from.life || i.life == to.life) &&
			i.at.Before(to.from) && i.until.Add(aftermath).After(from.to)
	})
}

// after looks what an incident did to an account.
func (c *care) after(i *incident, account string, spells []spell, all []*incident) {
	n := len(spells) - 1
	for ; n >= 0 && spells[n].from.After(i.at); n-- {
	}
	switch {
	case i.kind == byDeploy || n < 0 || i.at.Sub(spells[n].to) > time.Second: // or it was alone before
		return
	case i.life == 0:
		c.alone[i.kind] = append(c.alone[i.kind], longestGap(spells[n:], i.until.Add(aftermath)))
		return
	case spells[n].life != i.life:
		return
	}
	other := slices.IndexFunc(spells[n:], func(s spell) bool { return s.life != i.life })
	back := slices.IndexFunc(spells[n:], func(s spell) bool { return s.life == i.life && s.to.After(i.until) })
	switch {
	case other >= 0 && (back < 0 || other < back):
		at := spells[n+other].from
		took := at.Sub(i.at)
		c.taken[i.kind] = append(c.taken[i.kind], took)
		if !isBeside(i, at, all) {
			c.clear = append(c.clear, took)
		}
		if took > c.most {
			c.most, c.longest = took, fmt.Sprintf("%s from worker process %d, after the %s of %s", account, i.life, i.kind, i.at.Format(time.TimeOnly))
		}
	case back >= 0:
		c.alone[i.kind] = append(c.alone[i.kind], longestGap(spells[n:n+back+1], time.Time{}))
	}
}

// isBeside tells whether another incident went on between one and a time.
func isBeside(one *incident, until time.Time, all []*incident) bool {
	return slices.ContainsFunc(all, func(i *incident) bool {
		return i != one && (i.life != one.life || i.kind != byItself) && i.at.Before(until) && i.until.After(one.at)
	})
}

// longestGap returns the longest time between two spells, of those that begin until then; zero for all.
func longestGap(spells []spell, until time.Time) (longest time.Duration) {
	for n := 1; n < len(spells) && (until.IsZero() || spells[n].from.Before(until)); n++ {
		longest = max(longest, spells[n].from.Sub(spells[n-1].to))
	}
	return longest
}
