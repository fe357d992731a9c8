package bot

import (
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
