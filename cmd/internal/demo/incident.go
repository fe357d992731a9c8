package demo

import (
	"math/rand/v2"
	"time"
)

// IncidentKind is what befalls the workers of a demo, or their database.
type IncidentKind int

const (
	ByKill     IncidentKind = iota // SIGKILL
	ByFreeze                       // SIGSTOP for a while
	ByCut                          // no way to the database, and perhaps not to the platform either
	ByBlock                        // no way to the platform alone
	ByRestart                      // of the database
	byFill                         // the disk of the database is full
	byFailover                     // its standby takes its place
	ByDeploy                       // a new program in the place of each worker
	ByItself                       // a worker has ended
	incidentKinds
)

var incidentNames = [incidentKinds]string{"kill", "freeze", "cut", "block", "restart", "full disk", "failover", "deploy", "end"}

// String names the kind as the flags do.
func (k IncidentKind) String() string { return incidentNames[k] }

// Incident is one, as it was drawn, and then as it was.
type Incident struct {
	Kind  IncidentKind
	pause time.Duration // before it
	Lasts time.Duration
	draw  int // decides what is left open

	Incarnation int // whom it befell; 0: all
	At, Until   time.Time
}

// nominal is about how long an incident takes until all is well again.
func (i *Incident) nominal(workers int) time.Duration {
	switch i.Kind {
	case ByRestart, byFill, byFailover:
		return i.Lasts + 5*time.Second
	case ByDeploy:
		return time.Duration(workers) * 4 * time.Second
	case ByKill:
		return incidentRest
	default:
		return max(i.Lasts, incidentRest)
	}
}

const (
	// incidentRest is how long a worker is left alone after an incident at least: somebody has taken over by then.
	incidentRest = 7 * time.Second
	// Of freezes and cuts every other one is shorter than a lease, and the others are longer.
	incidentShort, incidentLong = 4 * time.Second, 6 * time.Second
)

// DrawIncidents draws what befalls, in its order. One of five cuts is from the platform alone.
func (d *Demo) DrawIncidents() []*Incident {
	rng := rand.New(rand.NewPCG(d.Seed, 0x776f726b)) //nolint:gosec // not a secret
	var all []*Incident
	between := func(from, to time.Duration) time.Duration { return from + time.Duration(rng.Int64N(int64(to-from)+1)) }
	add := func(n int, kind func(n int) IncidentKind, from, to time.Duration) {
		for i := range n {
			lasts := between(from, to)
			switch {
			case to < 10*time.Second:
			// By turns longer and shorter than a lease: the one is taken over, the other must not be.
			case i%2 == 0:
				lasts = between(incidentLong, to)
			default:
				lasts = between(from, incidentShort)
			}
			all = append(all, &Incident{Kind: kind(i), Lasts: lasts, draw: rng.IntN(1 << 20), pause: between(0, 3*time.Second)})
		}
	}
	just := func(k IncidentKind) func(int) IncidentKind { return func(int) IncidentKind { return k } }
	add(d.Kills, just(ByKill), 0, 0)
	add(d.Freezes, just(ByFreeze), time.Second, 20*time.Second)
	add(d.Cuts, func(n int) IncidentKind {
		if n%5 == 4 {
			return ByBlock
		}
		return ByCut
	}, 2*time.Second, 15*time.Second)
	add(d.Restarts, just(ByRestart), 0, 3*time.Second)
	add(d.Deploys, just(ByDeploy), 0, 0)
	add(d.Fills, just(byFill), 2*time.Second, 9*time.Second)
	add(d.Failovers, just(byFailover), 2*time.Second, 9*time.Second)
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all
}

// ExpectedTime is about how long all of them take, on a number of tracks.
func ExpectedTime(all []*Incident, workers, tracks int) (sum time.Duration) {
	for _, i := range all {
		sum += i.pause + i.nominal(workers)
	}
	return sum/time.Duration(max(tracks, 1)) + 2*time.Second
}

// TrackCount is how many incidents go on at a time: somebody is always well.
func (d *Demo) TrackCount() int {
	if d.Workers < 4 {
		return 1
	}
	return 2
}
