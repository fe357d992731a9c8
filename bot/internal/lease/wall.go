package lease

import (
	"slices"
	"time"
)

// wallTolerance is how much a worker's time of day may differ from that of the others.
const wallTolerance = 30 * time.Second

// findOutliers returns the workers whose time of day nobody should go by. Timers, limits and slots of their accounts would be wrong.
// Ahead says how much each is ahead of the board; what counts is how much it differs from the median of the workers. Where that is
// not one of theirs, the board has a voice, and the worker closest to that median is right: there is always one that is.
func findOutliers(ahead map[int64]time.Duration) map[int64]bool {
	if len(ahead) < 2 {
		return nil
	}
	all := make([]time.Duration, 0, len(ahead)+1)
	for _, a := range ahead {
		all = append(all, a)
	}
	// Of two clocks that differ nobody could say which is wrong.
	if len(all)%2 == 0 {
		all = append(all, 0)
	}
	slices.Sort(all)
	middle := all[len(all)/2]
	right, first := time.Duration(0), true
	for _, a := range ahead {
		if d, best := distance(a, middle), distance(right, middle); first || d < best || d == best && a < right {
			right, first = a, false
		}
	}
	wrong := map[int64]bool{}
	for w, a := range ahead {
		if distance(a, right) > wallTolerance {
			wrong[w] = true
		}
	}
	return wrong
}

func distance(a, b time.Duration) time.Duration { return max(a-b, b-a) }

// OddWorkers returns the workers whose time of day differs from that of the others by too much, at this moment: they take no shards.
func (v *View) OddWorkers() map[int64]bool {
	ahead := map[int64]time.Duration{}
	for i := range v.Workers {
		if w := &v.Workers[i]; w.State != StateGone && w.Beat > 0 {
			ahead[w.Worker] = w.Ahead
		}
	}
	return findOutliers(ahead)
}

// clocks is how a worker's time of day is, as far as that was told.
type clocks uint8

const (
	clocksAgree clocks = iota
	clockWrong         // this worker's
	boardsWrong        // the board's, or those of all workers
)

// tellClocks tells when times of day do not agree any more, and when they do again.
func (w *Worker) tellClocks(me *Peer) {
	o := &w.watch
	if distance(me.Ahead, 0) > wallTolerance && !o.isOdd(w.seat.Worker) && me.Beat > 0 {
		o.apart++
	} else {
		o.apart = 0
	}
	now := clocksAgree
	switch {
	case o.isOdd(w.seat.Worker):
		now = clockWrong
	case o.apart >= oddLooks:
		now = boardsWrong
	}
	if now == w.told || now == clocksAgree && distance(me.Ahead, 0) > wallTolerance { // nobody knows yet
		return
	}
	w.told = now
	switch ahead := me.Ahead.Round(time.Second); now {
	case clockWrong:
		w.log.Error("the clock of this worker is not that of the others: it serves no accounts until that is right", "ahead_of_database", ahead)
	case boardsWrong:
		w.log.Warn("the clock of the database is not that of its workers: one of them is wrong; nothing stops for that", "ahead_of_database", ahead)
	default:
		w.log.Info("the clocks of this worker and the database agree again")
	}
}

// BoardOffset returns how much the time of day of the workers is ahead of the board's, where all that agree differ from it by too much; else 0.
// Nothing stops for that: people should know.
func (v *View) BoardOffset() (ahead time.Duration) {
	odd, first := v.OddWorkers(), true
	for i := range v.Workers {
		w := &v.Workers[i]
		if w.State == StateGone || w.Beat == 0 || odd[w.Worker] {
			continue
		}
		if first || distance(w.Ahead, 0) < distance(ahead, 0) {
			ahead, first = w.Ahead, false
		}
	}
	if distance(ahead, 0) <= wallTolerance {
		return 0
	}
	return ahead
}
