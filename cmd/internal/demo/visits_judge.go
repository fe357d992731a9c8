package demo

import (
	"fmt"
	"slices"
	"time"
)

// Care is how well accounts were looked after, as the times of the requests tell that the platform has got for them.
type Care struct {
	// From an incident to the first request of another worker, for each account of the worker that it befell.
	Taken [incidentKinds][]time.Duration
	// Those of them of which no other incident went on in that time.
	Clear []time.Duration
	// What took longest of that.
	longest string
	most    time.Duration
	// The longest time without a request, of the accounts that waited for their own worker, or for the database.
	Alone [incidentKinds][]time.Duration
	// From the last request of a worker that nothing had befallen to the first one of another one.
	Handed []time.Duration
	// Actions that such a worker has left in doubt.
	Doubts int
}

// Doubt is what a worker finds when it takes over an account: an action that had left, and whose answer nobody has stored.
type Doubt struct {
	Account     string
	Incarnation int // who has found it
	At          time.Time
	Left        time.Time
}

// aftermath is for how long after its end an incident explains what happens to accounts.
const aftermath = 10 * time.Second

// JudgeCare compares the visits of accounts with what befell their workers.
func JudgeCare(visits map[string][]Spell, incidents []*Incident, doubts []Doubt) *Care {
	c := &Care{}
	for _, i := range incidents {
		for account, spells := range visits {
			c.after(i, account, spells, incidents)
		}
	}
	for account, spells := range visits {
		for n := 1; n < len(spells); n++ {
			from, to := spells[n-1], spells[n]
			if from.Incarnation == to.Incarnation || struck(from, to, incidents) {
				continue
			}
			c.Handed = append(c.Handed, to.From.Sub(from.To))
			began := spells[n-1].From
			for b := n - 1; b >= 0 && spells[b].Incarnation == from.Incarnation; b-- {
				began = spells[b].From
			}
			for _, d := range doubts { // it looks before its first request, if not long before
				if d.Account == account && d.Incarnation == to.Incarnation && d.Left.After(began) && d.At.After(from.From) && d.At.Before(to.From.Add(time.Second)) {
					c.Doubts++
				}
			}
		}
	}
	return c
}

// struck reports whether something befell one of two workers while an account went from the one to the other, or not long before.
func struck(from, to Spell, incidents []*Incident) bool {
	return slices.ContainsFunc(incidents, func(i *Incident) bool {
		return i.Kind != ByDeploy && (i.Incarnation == 0 || i.Incarnation == from.Incarnation || i.Incarnation == to.Incarnation) &&
			i.At.Before(to.From) && i.Until.Add(aftermath).After(from.To)
	})
}

// after looks what an incident did to an account.
func (c *Care) after(i *Incident, account string, spells []Spell, all []*Incident) {
	n := len(spells) - 1
	for ; n >= 0 && spells[n].From.After(i.At); n-- {
	}
	switch {
	case i.Kind == ByDeploy || n < 0 || i.At.Sub(spells[n].To) > time.Second: // or it was alone before
		return
	case i.Incarnation == 0:
		c.Alone[i.Kind] = append(c.Alone[i.Kind], longestGap(spells[n:], i.Until.Add(aftermath)))
		return
	case spells[n].Incarnation != i.Incarnation:
		return
	}
	other := slices.IndexFunc(spells[n:], func(s Spell) bool { return s.Incarnation != i.Incarnation })
	back := slices.IndexFunc(spells[n:], func(s Spell) bool { return s.Incarnation == i.Incarnation && s.To.After(i.Until) })
	switch {
	case other >= 0 && (back < 0 || other < back):
		at := spells[n+other].From
		took := at.Sub(i.At)
		c.Taken[i.Kind] = append(c.Taken[i.Kind], took)
		if !isBeside(i, at, all) {
			c.Clear = append(c.Clear, took)
		}
		if took > c.most {
			c.most, c.longest = took, fmt.Sprintf("%s from worker process %d, after the %s of %s", account, i.Incarnation, i.Kind, i.At.Format(time.TimeOnly))
		}
	case back >= 0:
		c.Alone[i.Kind] = append(c.Alone[i.Kind], longestGap(spells[n:n+back+1], time.Time{}))
	}
}

// isBeside reports whether another incident went on between one and a time.
func isBeside(one *Incident, until time.Time, all []*Incident) bool {
	return slices.ContainsFunc(all, func(i *Incident) bool {
		return i != one && (i.Incarnation != one.Incarnation || i.Kind != ByItself) && i.At.Before(until) && i.Until.After(one.At)
	})
}

// longestGap returns the longest time between two spells, of those that begin until then; zero for all.
func longestGap(spells []Spell, until time.Time) (longest time.Duration) {
	for n := 1; n < len(spells) && (until.IsZero() || spells[n].From.Before(until)); n++ {
		longest = max(longest, spells[n].From.Sub(spells[n-1].To))
	}
	return longest
}
