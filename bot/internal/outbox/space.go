package outbox

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// space is what is known of what an account has published: it says when something else may be. It belongs to Account.mu.
type space struct {
	loaded     bool               // what was published before is among it
	departures []departure        // by time, as far back as the limit reaches
	inFlight   map[string]*flight // on their way, by key
}

// departure is a publication that has happened, or may have.
type departure struct {
	key   string
	at    time.Time // not later than this, by a steady clock
	apart time.Duration
}

// flight is a publication on its way.
type flight struct {
	apart     time.Duration
	requested bool      // a request of it is
	inDoubt   bool      // one was, and nobody knows what became of it
	arrivedBy time.Time // then that cannot arrive any more
}

// restore takes up what the store tells. What may be under way has arrived by a time, or never will. By this clock, nothing lies
// ahead.
func (s *space) restore(all []event.Publication, now, arrived time.Time) {
	for i := range all {
		p := &all[i]
		switch p.State {
		case event.StateSending, event.StateInDoubt:
			if s.inFlight[p.Key] == nil {
				a := event.Action{Key: p.Key, Apart: p.Apart}
				f := s.flightOf(&a)
				f.inDoubt, f.arrivedBy = true, arrived
			}
		case event.StateDone, event.StateHeld:
			at := p.At
			// It left somewhere between its request and its end: the later one keeps the whole distance for certain.
			if p.Ended.After(at) {
				at = p.Ended
			}
			if slices.ContainsFunc(s.departures, func(d departure) bool { return d.key == p.Key }) {
				continue
			}
			s.put(departure{p.Key, now.Add(-max(0, now.Sub(at))), p.Apart}) //mutate:publishing-ahead
		default: // it waits
		}
	}
}

// flightOf returns an action's, new if need be.
func (s *space) flightOf(a *event.Action) *flight {
	f := s.inFlight[a.Key]
	if f == nil {
		if s.inFlight == nil {
			s.inFlight = map[string]*flight{}
		}
		f = &flight{apart: a.Apart}
		s.inFlight[a.Key] = f
	}
	return f
}

// endFlight takes an action off its way.
func (s *space) endFlight(key string) { delete(s.inFlight, key) }

// add notes a departure, and forgets those that are out of reach.
func (s *space) add(d departure, reach time.Duration) {
	s.put(d)
	if n := slices.IndexFunc(s.departures, func(x departure) bool { return d.at.Sub(x.at) < reach }); n > 0 {
		s.departures = slices.Delete(s.departures, 0, n)
	}
}

func (s *space) put(d departure) {
	i := len(s.departures)
	for i > 0 && d.at.Before(s.departures[i-1].at) {
		i--
	}
	s.departures = slices.Insert(s.departures, i, d)
}

// nextAllowed returns when an action may be published at the earliest, and why not before; zero when it may now. Without a reason
// it is not known yet when: something is on its way. What is on its way and has not left counts, too, unless it is the last
// look before a request leaves: then who is first goes first.
func (s *space) nextAllowed(p *Publishing, a *event.Action, now time.Time, last bool) (at time.Time, why reason.Crowd) {
	wait := func(t time.Time, because reason.Crowd) {
		if t.After(now) && t.After(at) {
			at, why = t, because
		}
	}
	inFlight, blind := 0, false
	for key, f := range s.inFlight {
		// Before the last look those that only wait count, or two would wait for each other's distance and leave together. At the last look they do
		// not, or nobody would go first.
		if key == a.Key || last && !f.requested && !f.inDoubt {
			continue
		}
		inFlight++
		switch need := max(p.Apart, a.Apart, f.apart); {
		case need == 0:
		// It may have left at any moment of its call. Until that is known, no time can be named.
		case f.requested || !f.inDoubt:
			blind = true
		default:
			wait(f.arrivedBy.Add(need), reason.Crowd{Apart: need}) //mutate:publishing-in-doubt
		}
	}
	for _, d := range s.departures {
		if need := max(p.Apart, a.Apart, d.apart); need > 0 { //mutate:publishing-apart
			wait(d.at.Add(need), reason.Crowd{Apart: need})
		}
	}
	blind = s.keepCount(p, now, inFlight, wait) || blind
	if blind {
		wait(laterTime(at, now).Add(lookAgain), reason.Crowd{})
	}
	return at, why
}

// keepCount keeps the number; it reports whether that depends on what is on its way.
func (s *space) keepCount(p *Publishing, now time.Time, inFlight int, wait func(time.Time, reason.Crowd)) (blind bool) {
	if p.Most == 0 {
		return false
	}
	i := len(s.departures)
	for i > 0 && now.Sub(s.departures[i-1].at) < p.Within {
		i--
	}
	recent := s.departures[i:]
	over := len(recent) + inFlight - p.Most + 1 // so many have to be over first
	switch {
	case over <= 0:
		return false
	// Even if all that is known were over, what is on its way would be too much: nobody knows when that ends.
	case over > len(recent):
		return true
	}
	wait(recent[over-1].at.Add(p.Within), reason.Crowd{Most: p.Most, Within: p.Within}) //mutate:publishing-count
	return false
}

func laterTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
