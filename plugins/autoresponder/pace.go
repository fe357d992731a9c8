package autoresponder

import (
	"slices"
	"time"
)

// pauses are how long a member is left alone after so many digests that nobody has answered: at least a minute, and ever
// longer. A night of any length rings a dozen times at most.
var pauses = []time.Duration{
	0, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour, time.Hour, time.Hour, 2 * time.Hour,
}

// pace is how an address stands, as it is stored.
type pace struct {
	Rung  time.Time `json:"rung,omitzero"`   // the last digest
	Rings int       `json:"rings,omitzero"`  // digests since a person of ours did something
	Kinds []string  `json:"kinds,omitempty"` // urgent ones in these digests

	Failing time.Time `json:"failing,omitzero"` // since when it takes none
	Tries   int       `json:"tries,omitzero"`   // since then
	Next    time.Time `json:"next,omitzero"`    // of them
	Error   string    `json:"error,omitempty"`  // the last one
}

// noteAttended takes note of when a person of ours last did something: what came before is read.
func (p *pace) noteAttended(at time.Time) bool {
	if p.Rings == 0 || !at.After(p.Rung) {
		return false
	}
	p.Rings, p.Kinds = 0, nil
	return true
}

// dueAt returns when an address may be rung, for urgent kinds of what waits.
func (p *pace) dueAt(urgent []string) time.Time {
	if !p.Failing.IsZero() {
		return p.Next
	}
	pause := pauses[min(p.Rings, len(pauses)-1)] //mutate:called-rarer
	if slices.ContainsFunc(urgent, func(k string) bool { return !slices.Contains(p.Kinds, k) }) {
		pause = min(pause, time.Minute) // of that nobody has heard
	}
	return p.Rung.Add(max(pause, time.Minute))
}

// noteRang notes a digest that arrived.
func (p *pace) noteRang(now time.Time, urgent []string) {
	p.Failing, p.Tries, p.Next, p.Error = time.Time{}, 0, time.Time{}, ""
	p.Rung = now
	p.Rings++
	for _, k := range urgent {
		if !slices.Contains(p.Kinds, k) {
			p.Kinds = append(p.Kinds, k)
		}
	}
}

// noteFailed notes a digest that did not arrive, as far as anybody knows; something urgent among it is tried again soon.
func (p *pace) noteFailed(now time.Time, why error, urgent bool) (first bool) {
	most := mostPause
	if urgent {
		most = urgentPause //mutate:urgent-tries
	}
	if first = p.Failing.IsZero(); first {
		p.Failing = now
	}
	p.Tries++
	p.Next, p.Error = now.Add(min(time.Second<<min(p.Tries, 10), most)), why.Error()
	return first
}
