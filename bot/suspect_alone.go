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
func (g *suspects) runAlone(ctx context.Context, l *lane, s *suspect) {
	began, known := time.Now(), min(s.stored.Rounds, 1)
	one := aloneFor << min(s.stored.Rounds, mostDoubled)
	quiet := g.shut(ctx, one)
	if known > 0 {
		g.letLeave(ctx)
	}
	g.bot.persistPending(time.Now())
	x := s.stored
	x.Rounds++
	x.Alone = quiet
	if !l.account.writesNow(ctx, &x) {
		g.unshut()
		_ = lifecycle.Sleep(ctx, countPause)
		return
	}
	s.stored = x
	if g.admitJob(l, s) {
		g.await(ctx, one)
	}
	g.mu.Lock()
	if x.Alone = false; !s.begun {
		l.account.writes(&x, func(error) {})
	}
	s.begun = false
	g.shared.spent[known] += time.Since(began)
	g.mu.Unlock()
}

// writes stores what is known of a suspect, unless the account's term ends: then another worker may have it soon, and the hand-over says that nothing runs
// any more. done is told the outcome.
func (a *account) writes(s *store.Suspect, done func(error)) bool {
	if !a.workers.Begin() {
		return false
	}
	defer a.workers.End()
	w := store.Write{Done: func(r store.Receipt) { done(r.Err) }}
	w.Suspect = s //mutate:suspect-alone-kept
	a.bot.store.Commit(w)
	return true
}

// writesNow is writes, and reports whether that is durable.
func (a *account) writesNow(ctx context.Context, s *store.Suspect) bool {
	kept := make(chan error, 1)
	if !a.writes(s, func(err error) { kept <- err }) {
		return false
	}
	select {
	case err := <-kept:
		return err == nil
	case <-ctx.Done():
		return false
	}
}

// shut lets nobody else begin, and waits until nobody runs, for a while; it reports whether that is so.
func (g *suspects) shut(ctx context.Context, d time.Duration) (quiet bool) {
	g.mu.Lock()
	g.shared.shut = true
	if !g.shared.told {
		g.shared.told = true
		g.bot.log.WarnContext(ctx, "a worker has ended without handing its accounts over: what waits there runs alone now, before others")
	}
	g.mu.Unlock()
	for over := time.Now().Add(d); ; {
		running := 0
		g.bot.eachAtWork(func(a *account) {
			a.lanes.each(func(l *lane) {
				if s := l.state(); s == laneRunning || s == laneFailing {
					running++
				}
			})
		})
		g.mu.Lock()
		quiet = running == 0 && g.overran == 0
		ended := running <= g.overran || !time.Now().Before(over)
		g.shared.quiet = quiet
		g.mu.Unlock()
		if ended || lifecycle.Sleep(ctx, quiesceLook) != nil {
			return quiet
		}
	}
}

// unshut lets others begin again.
func (g *suspects) unshut() {
	g.mu.Lock()
	was := g.shared.shut
	g.shared.shut = false
	g.mu.Unlock()
	if was {
		g.bot.letAllRun()
	}
}

// admitJob lets a suspect run; false when it cannot.
func (g *suspects) admitJob(l *lane, s *suspect) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	g.mu.Lock()
	delete(g.waiting, l)
	first := len(l.queue) > 0 && l.queue[0].suspect == s
	if first {
		g.admitted, g.shared.job = l, l.queue[0]
	}
	g.mu.Unlock()
	g.bot.startLocked(l.account.term, l)
	begun := first && l.run != nil
	if !begun {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.admitted, g.shared.job = nil, nil
	}
	return begun
}
