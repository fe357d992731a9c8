package bot

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// What has a time goes by the clock on the wall of this machine: slots, hours, latest departures, approvals. A machine whose clock is
// hours off – one that starts two systems, a small one without a battery, one that was restored from an image – does everything at the
// wrong hour, and nobody sees why. So it is compared with what the platform says.

// clockTolerance is by how much clocks may differ: nothing depends on less.
const clockTolerance = 2 * time.Minute

// clockWatch tells people that the clock of this machine is not the one of a platform.
type clockWatch struct {
	log      *slog.Logger
	platform string

	mu   sync.Mutex    // guards the fields below
	odd  time.Duration // what was heard last, when it was odd and is to be confirmed
	told time.Duration // what the log says
	sure bool          // most is known
	most time.Duration // the furthest that this machine was ahead
}

func newClockWatch(log *slog.Logger, platform string) *clockWatch {
	return &clockWatch{log: log, platform: platform}
}

// noteAhead is told by how much this machine is ahead. What is odd counts when it is heard twice: an answer that was read much later than it
// came, since the machine slept, is as odd as a wrong clock.
func (w *clockWatch) noteAhead(ahead time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.odd
	w.odd = 0
	switch {
	case ahead.Abs() < clockTolerance:
		w.sureLocked(ahead)
		if w.told != 0 {
			w.told = 0
			w.log.Info("the clock of this machine agrees with the one of the platform again", "platform", w.platform)
		}
	case w.told != 0 && (ahead-w.told).Abs() < clockTolerance:
		w.sureLocked(ahead)
	case before == 0 || (ahead-before).Abs() >= clockTolerance: //mutate:clock-twice
		w.odd = ahead
	default:
		w.sureLocked(ahead)
		w.told = ahead
		w.notifyAhead(ahead)
	}
}

// sureLocked notes by how much this machine is ahead, as two answers have it, or one that is not odd.
func (w *clockWatch) sureLocked(ahead time.Duration) {
	if !w.sure || ahead > w.most {
		w.sure, w.most = true, ahead
	}
}

// earliestTime returns when a moment was at the earliest by the clock of the platform, of which this machine's clock has told when it was: who
// has to know whether it was before something that the platform dates is on the safe side with that, also when the clock was set since.
func (w *clockWatch) earliestTime(at time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.sure {
		return at.Add(-w.odd)
	}
	return at.Add(-max(w.most, w.odd)) //mutate:clock-earliest
}

func (w *clockWatch) notifyAhead(ahead time.Duration) {
	about := []any{"platform", w.platform, "by", ahead.Abs().Round(time.Second)}
	if ahead < 0 {
		w.log.Warn("the clock of this machine is behind the one of the platform: what has a time comes that much too late; set the clock", about...)
		return
	}
	w.log.Warn("the clock of this machine is ahead of the one of the platform: what has a time comes that much too early; set the clock", about...)
}

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
