package bot

import (
	"context"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// quiesceLook is how often it is looked at whether other handlers still run.
const quiesceLook = 20 * time.Millisecond

// runAlone lets a suspect run while nobody else does, once that stands in the store.
func (ss *suspects) runAlone(ctx context.Context, l *lane, s *suspect) {
	began, known := time.Now(), min(s.stored.Rounds, 1)
	one := aloneFor << min(s.stored.Rounds, mostDoubled)
	quiet := ss.holdOthers(ctx, one)
	if known > 0 {
		ss.letLeave(ctx)
	}
	ss.bot.persistPending(time.Now())
	x := s.stored
	x.Rounds++
	x.Alone = quiet
	if !l.account.writesNow(ctx, &x) {
		ss.letOthersRun()
		_ = lifecycle.Sleep(ctx, countPause)
		return
	}
	s.stored = x
	if ss.admitJob(l, s) {
		ss.waitAdmitted(ctx, one)
	}
	ss.mu.Lock()
	if x.Alone = false; !s.begun {
		l.account.storeSuspect(&x, func(error) {})
	}
	s.begun = false
	ss.shared.spent[known] += time.Since(began)
	ss.mu.Unlock()
}

// storeSuspect stores what is known of a suspect, unless the account's term ends: then another worker may have it soon, and the hand-over says that nothing runs
// any more. done is told the outcome.
func (a *account) storeSuspect(s *store.Suspect, done func(error)) bool {
	if !a.workers.Begin() {
		return false
	}
	defer a.workers.End()
	w := store.Write{Done: func(r store.Receipt) { done(r.Err) }}
	w.Suspect = s //mutate:suspect-alone-kept
	a.bot.store.Commit(w)
	return true
}

// writesNow is storeSuspect, and reports whether that is durable.
func (a *account) writesNow(ctx context.Context, s *store.Suspect) bool {
	kept := make(chan error, 1)
	if !a.storeSuspect(s, func(err error) { kept <- err }) {
		return false
	}
	select {
	case err := <-kept:
		return err == nil
	case <-ctx.Done():
		return false
	}
}

// holdOthers lets nobody else begin, and waits until nobody runs, for a while; it reports whether that is so.
func (ss *suspects) holdOthers(ctx context.Context, d time.Duration) (quiet bool) {
	ss.mu.Lock()
	ss.shared.shut = true
	if !ss.shared.told {
		ss.shared.told = true
		ss.bot.log.WarnContext(ctx, "a worker has ended without handing its accounts over: what waits there runs alone now, before others")
	}
	ss.mu.Unlock()
	for over := time.Now().Add(d); ; {
		running := 0
		ss.bot.eachAtWork(func(a *account) {
			a.lanes.each(func(l *lane) {
				if l.isRunning() {
					running++
				}
			})
		})
		ss.mu.Lock()
		quiet = running == 0 && ss.overran == 0
		ended := running <= ss.overran || !time.Now().Before(over)
		ss.shared.quiet = quiet
		ss.mu.Unlock()
		if ended || lifecycle.Sleep(ctx, quiesceLook) != nil {
			return quiet
		}
	}
}

// letOthersRun lets others begin again.
func (ss *suspects) letOthersRun() {
	ss.mu.Lock()
	was := ss.shared.shut
	ss.shared.shut = false
	ss.mu.Unlock()
	if was {
		ss.bot.letAllRun()
	}
}

// admitJob lets a suspect run; false when it cannot.
func (ss *suspects) admitJob(l *lane, s *suspect) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	ss.mu.Lock()
	delete(ss.waiting, l)
	first := len(l.queue) > 0 && l.queue[0].suspect == s
	if first {
		ss.admitted, ss.shared.job = l, l.queue[0]
	}
	ss.mu.Unlock()
	ss.bot.startLocked(l.account.term, l)
	begun := first && l.run != nil
	if !begun {
		ss.mu.Lock()
		defer ss.mu.Unlock()
		ss.admitted, ss.shared.job = nil, nil
	}
	return begun
}

// Once a process has died of a suspect, the others do not all begin at once, and not only when all suspects are through: those who have waited longest run first,
// a few at a time, until what they decide is stored. The next death of the process keeps a few from their answers then, and not everybody.
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
		for next := time.Now().Add(oldestFor); time.Now().Before(next) && slices.ContainsFunc(few, (*lane).isUnderWay); {
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

// isRunning reports whether a goroutine works on the lane.
func (l *lane) isRunning() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run != nil
}

// isUnderWay reports whether a turn of the lane runs, or is not stored yet.
func (l *lane) isUnderWay() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run != nil || len(l.inFlight) > 0
}
