package bot

import (
	"context"
	"sync"
	"time"
)

// A clock that was ahead and is set back leaves timers and actions behind that would wait for their delay, and for as long as the clock was ahead.
// Those that wait for a while wait for it anew; what was set to a time of day keeps its time. That is looked at when a term begins, and when the clock is
// set back beside it.

// setBackSlack is by how much a clock is corrected without being set back.
const setBackSlack = time.Second

// wallWatch notices that the clock on the wall was set back.
type wallWatch struct {
	mu     sync.Mutex // guards the fields below
	steady time.Time  // of the last look
	wall   time.Time  // the same as the clock on the wall had it
	again  bool       // it was set back before the last look: turns that had begun by then may have been stored since
}

// needsLook reports whether what was set by a later clock is to be looked for.
func (w *wallWatch) needsLook(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	back := w.wall.Add(now.Sub(w.steady)).Sub(now.Round(0))
	was, is := w.again, !w.steady.IsZero() && back > setBackSlack //mutate:set-back-look
	w.steady, w.wall, w.again = now, now.Round(0), is
	return is || was
}

// watchWall pulls in what stands too far ahead since the clock was set back, until ctx is done.
func (b *Bot) watchWall(ctx context.Context) {
	b.wall.needsLook(time.Now())
	runEvery(ctx, clockCheck, func() {
		if !b.wall.needsLook(time.Now()) {
			return
		}
		b.eachAtWork(func(a *account) {
			if a.pullIn(ctx) == nil {
				a.outbox.DueAnew(a.term) //nolint:contextcheck // it outlives this look
			}
		})
		b.timers.wake()
	})
}

// pullIn lets what a later clock has set to wait for a while wait for that while from now on.
func (a *account) pullIn(ctx context.Context) error {
	n, err := a.bot.store.PullIn(ctx, a.name, time.Now())
	if n > 0 {
		a.bot.log.WarnContext(ctx, "the clock has been set back since timers and actions were set to wait for a while; they wait for that while from now on",
			"account", a.name, "of_them", n)
	}
	return err
}
