package lease

import (
	"time"
)

// watch is how a worker sees the others: for how long each has not moved, by its own steady clock.
type watch struct {
	peers map[int64]*peerWatch
	last  time.Duration // when the last look was answered
	good  bool          // that look counts
	plans int64         // how many there were
	since time.Duration // of the last one, as far as was seen
	apart int           // looks in a row in which this worker's time of day was not the board's
}

// peerWatch is how a worker is seen.
type peerWatch struct {
	Sight
	still time.Duration // for how long it has not moved, while looks succeeded
	odd   int           // looks in a row in which its time of day was not that of the others
}

// oddLooks is how many looks in a row a time of day has to differ: the board's own clock may be set between two beats.
const oddLooks = 3

// noteView takes a look that was asked for and answered at these times. What passes between two looks counts only if both were answered
// soon: while the board stalls, or this worker does, nobody is to blame for not moving. As much is taken back then as has passed: all
// have to reach the board again.
func (w *watch) noteView(v *View, asked, answered time.Duration) {
	if w.peers == nil {
		w.peers = map[int64]*peerWatch{}
	}
	good := answered-asked <= goodLook
	passed := answered - w.last
	counts := good && w.good && asked-w.last <= 2*beatEvery //mutate:stalled-looks
	if !counts {
		// What was counted before the stall may have been the stall, too.
		passed = -passed
	}
	w.last, w.good = answered, good
	if v.Plans != w.plans {
		w.plans, w.since = v.Plans, answered
	}
	there := map[int64]bool{}
	for i := range v.Workers {
		peer := &v.Workers[i]
		if peer.State == StateGone {
			continue
		}
		there[peer.Worker] = true
		p := w.peers[peer.Worker]
		switch {
		case p == nil:
			w.peers[peer.Worker] = &peerWatch{Sight: peer.Sight}
		case p.Sight != peer.Sight: // its last beat came before this answer
			// Counted from the answer, and not from the question: the beat may have come just before it, so the worker is declared dead rather too late.
			p.Sight, p.still = peer.Sight, 0
		default:
			p.still = max(p.still+passed, 0)
		}
	}
	for n := range w.peers {
		if !there[n] {
			delete(w.peers, n)
		}
	}
	w.lookAtClocks(v)
}

// noteMissed takes it that a look has failed.
func (w *watch) noteMissed() { w.good = false }

// lookAtClocks counts for how long each time of day has differed.
func (w *watch) lookAtClocks(v *View) {
	ahead := map[int64]time.Duration{}
	for i := range v.Workers {
		if peer := &v.Workers[i]; w.peers[peer.Worker] != nil && peer.Beat > 0 {
			ahead[peer.Worker] = peer.Ahead
		}
	}
	wrong := findOutliers(ahead)
	for n, p := range w.peers {
		if wrong[n] {
			p.odd++
		} else {
			p.odd = 0
		}
	}
}

// deadWorkers returns the workers that have not moved for the whole term, and how long it is until the next one has; 0 when there is
// none to wait for.
func (w *watch) deadWorkers(except int64) (dead []Sight, next time.Duration) {
	for n, p := range w.peers {
		switch left := Term - p.still; { //mutate:term
		case n == except:
		case left <= 0:
			dead = append(dead, p.Sight)
		case left < beatEvery && (next == 0 || left < next):
			next = left
		}
	}
	return dead, next
}

// isOdd reports whether a worker's time of day is not to be trusted.
func (w *watch) isOdd(worker int64) bool {
	p := w.peers[worker]
	return p != nil && p.odd >= oddLooks //mutate:odd-clock
}

// planCandidates returns the workers as a plan sees them. Who has not moved for a while gets nothing new.
func (w *watch) planCandidates(v *View) (all []Candidate) {
	for i := range v.Workers {
		peer := &v.Workers[i]
		if peer.State == StateGone {
			continue
		}
		p := w.peers[peer.Worker] // nil: it has come after the last look, and keeps what it has
		// A worker that is about to be declared dead gets nothing (Takes), and nothing is taken from it either: that is a takeover's to do.
		keeps := peer.State == StateUp && !peer.Drain && !w.isOdd(peer.Worker)
		all = append(all, Candidate{Worker: peer.Worker, Takes: keeps && p != nil && p.still < Term/2, Keeps: keeps, Has: peer.Has})
	}
	return all
}
