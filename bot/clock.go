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
}

func newClockWatch(log *slog.Logger, platform string) *clockWatch {
	return &clockWatch{log: log, platform: platform}
}

// hear is told by how much this machine is ahead. What is odd counts when it is heard twice: an answer that was read much later than it
// came, since the machine slept, is as odd as a wrong clock.
func (w *clockWatch) hear(ahead time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.odd
	w.odd = 0
	switch {
	case ahead.Abs() < clockTolerance:
		if w.told != 0 {
			w.told = 0
			w.log.Info("the clock of this machine agrees with the one of the platform again", "platform", w.platform)
		}
	case w.told != 0 && (ahead-w.told).Abs() < clockTolerance:
	case before == 0 || (ahead-before).Abs() >= clockTolerance: //mutate:clock-twice
		w.odd = ahead
	default:
		w.told = ahead
		w.tell(ahead)
	}
}

func (w *clockWatch) tell(ahead time.Duration) {
	about := []any{"platform", w.platform, "by", shortly(ahead.Abs())}
	if ahead < 0 {
		w.log.Warn("the clock of this machine is behind the one of the platform: what has a time comes that much too late; set the clock", about...)
		return
	}
	w.log.Warn("the clock of this machine is ahead of the one of the platform: what has a time comes that much too early; set the clock", about...)
}
