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
func (g *suspects) letOldestRun(ctx context.Context) {
	for over := time.Now().Add(allOldestFor); ctx.Err() == nil && time.Now().Before(over); {
		few := g.oldest()
		if len(few) == 0 {
			return
		}
		for _, l := range few {
			l.mu.Lock()
			g.bot.startLocked(l.account.term, l) //nolint:contextcheck // it is the term's
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
func (g *suspects) oldest() []*lane {
	g.mu.Lock()
	waiting := make([]*lane, 0, len(g.waiting))
	for l := range g.waiting {
		if !slices.ContainsFunc(g.left, func(s *suspect) bool { return s.lane == l }) {
			waiting = append(waiting, l)
		}
	}
	g.mu.Unlock()
	since := map[*lane]time.Time{}
	for _, l := range waiting { // without the lock of suspects: who has a lane's takes that
		l.mu.Lock()
		if len(l.queue) > 0 {
			since[l] = age(l.queue[0].trigger)
		}
		l.mu.Unlock()
	}
	slices.SortFunc(waiting, func(x, y *lane) int { return since[x].Compare(since[y]) })
	few := waiting[:min(len(waiting), oldestAtOnce)]
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range few {
		delete(g.waiting, l)
		g.let[l] = struct{}{}
	}
	return few
}

// age returns since when a trigger waits, as far as it tells.
func age(t event.Trigger) time.Time {
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
