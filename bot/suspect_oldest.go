package bot

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
)

// Once a process has died of a suspect, the others do not all begin at once, and not only when all suspects are through: those who have waited longest run first,
// a few at a time, until what they decide is stored. Whatever ends the process next keeps a few from their answers then, and not everybody.
const (
	oldestAtOnce = 4
	oldestFor    = time.Second      // that a few have, before the next begin
	allOldestFor = 10 * time.Second // after which all begin
	oldestLook   = 10 * time.Millisecond
)

// letOldestRun lets those run who have waited longest, until nobody waits any more, for a while.
func (ss *suspects) letOldestRun(ctx context.Context) {
	for over := time.Now().Add(allOldestFor); ctx.Err() == nil && time.Now().Before(over); {
		few := ss.oldest()
		if len(few) == 0 {
			return
		}
		for _, l := range few {
			l.mu.Lock()
			ss.bot.startLocked(l.account.term, l) //nolint:contextcheck // it is the term's
			l.mu.Unlock()
		}
		for next := time.Now().Add(oldestFor); time.Now().Before(next) && slices.ContainsFunc(few, (*lane).isBusy); {
			if lifecycle.Sleep(ctx, oldestLook) != nil {
				return
			}
		}
	}
}

// oldest returns a few of the lanes that wait and have no suspect, those whose first trigger is oldest, and lets them run from now on.
func (ss *suspects) oldest() []*lane {
	ss.mu.Lock()
	waiting := make([]*lane, 0, len(ss.waiting))
	for l := range ss.waiting {
		if !slices.ContainsFunc(ss.left, func(s *suspect) bool { return s.lane == l }) {
			waiting = append(waiting, l)
		}
	}
	ss.mu.Unlock()
	since := map[*lane]time.Time{}
	for _, l := range waiting { // without the lock of suspects: who has a lane's takes that
		l.mu.Lock()
		if len(l.queue) > 0 {
			since[l] = triggerAge(l.queue[0].trigger)
		}
		l.mu.Unlock()
	}
	slices.SortFunc(waiting, func(x, y *lane) int { return since[x].Compare(since[y]) })
	few := waiting[:min(len(waiting), oldestAtOnce)]
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, l := range few {
		delete(ss.waiting, l)
		ss.let[l] = struct{}{}
	}
	return few
}

// triggerAge returns since when a trigger waits, as far as it tells.
func triggerAge(t event.Trigger) time.Time {
	if t.Kind == event.ByTimer {
		return t.Timer.Due
	}
	return t.Event.SeenAt
}

// isBusy reports whether a turn of the lane runs, or is not stored yet.
func (l *lane) isBusy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run != nil || len(l.inFlight) > 0
}
