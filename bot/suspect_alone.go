package bot

import (
	"context"
	"time"

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
				if s := l.state(); s == laneRunning || s == laneFailing {
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
