package cmd

import (
	"math/rand/v2"
	"time"
)

// An incident is what befalls the workers of a demo, or their database.
type incidentKind int

const (
	byKill     incidentKind = iota // SIGKILL
	byFreeze                       // SIGSTOP for a while
	byCut                          // no way to the database, and perhaps not to the platform either
	byBlock                        // no way to the platform alone
	byRestart                      // of the database
	byFill                         // the disk of the database is full
	byFailover                     // its standby takes its place
	byDeploy                       // a new program in the place of each worker
	byItself                       // a worker has ended
	incidentKinds
)

var incidentNames = [incidentKinds]string{"kill", "freeze", "cut", "block", "restart", "full disk", "failover", "deploy", "end"}

func (k incidentKind) String() string { return incidentNames[k] }

// incident is one, as it was drawn, and then as it was.
type incident struct {
	kind  incidentKind
	pause time.Duration // before it
	lasts time.Duration
	draw  int // decides what is left open

	life      int // whom it befell; 0: all
	at, until time.Time
}

// nominal is about how long an incident takes until all is well again.
func (i *incident) nominal(workers int) time.Duration {
	switch i.kind {
	case byRestart, byFill, byFailover:
		return i.lasts + 5*time.Second
	case byDeploy:
		return time.Duration(workers) * 4 * time.Second
	case byKill:
		return incidentRest
	default:
		return max(i.lasts, incidentRest)
	}
}

const (
	// incidentRest is how long a worker is left alone after an incident at least: somebody has taken over by then.
	incidentRest = 7 * time.Second
	// Of freezes and cuts every other one is shorter than a lease, and the others are longer.
	incidentShort, incidentLong = 4 * time.Second, 6 * time.Second
)

// incidents draws what befalls, in its order. One of five cuts is from the platform alone.
func (d *demo) incidents() []*incident {
	rng := rand.New(rand.NewPCG(d.seed, 0x776f726b)) //nolint:gosec // not a secret
	var all []*incident
	between := func(from, to time.Duration) time.Duration { return from + time.Duration(rng.Int64N(int64(to-from)+1)) }
	add := func(n int, kind func(n int) incidentKind, from, to time.Duration) {
		for i := range n {
			lasts := between(from, to)
			switch {
			case to < 10*time.Second:
			case i%2 == 0:
				lasts = between(incidentLong, to)
			default:
				lasts = between(from, incidentShort)
			}
			all = append(all, &incident{kind: kind(i), lasts: lasts, draw: rng.IntN(1 << 20), pause: between(0, 3*time.Second)})
		}
	}
	just := func(k incidentKind) func(int) incidentKind { return func(int) incidentKind { return k } }
	add(d.kills, just(byKill), 0, 0)
	add(d.freezes, just(byFreeze), time.Second, 20*time.Second)
	add(d.cuts, func(n int) incidentKind {
		if n%5 == 4 {
			return byBlock
		}
		return byCut
	}, 2*time.Second, 15*time.Second)
	add(d.restarts, just(byRestart), 0, 3*time.Second)
	add(d.deploys, just(byDeploy), 0, 0)
	add(d.fills, just(byFill), 2*time.Second, 9*time.Second)
	add(d.failovers, just(byFailover), 2*time.Second, 9*time.Second)
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all
}

// expected is about how long all of them take, on a number of tracks.
func expected(all []*incident, workers, tracks int) (sum time.Duration) {
	for _, i := range all {
		sum += i.pause + i.nominal(workers)
	}
	return sum/time.Duration(max(tracks, 1)) + 2*time.Second
}

// tracks is how many incidents go on at a time: somebody is always well.
func (d *demo) tracks() int {
	if d.workers < 4 {
		return 1
	}
	return 2
}
