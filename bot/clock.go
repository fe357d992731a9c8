package bot

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// What has a time goes by the clock on the wall of this machine: slots, hours, latest departures, approvals. A machine whose clock is
// hours off – one that starts two systems, a small one without a battery, one that was restored from an image – does everything at the
// wrong hour, and nobody sees why. So it is compared with what the platform says.

const (
	// clockTolerance is by how much clocks may differ: nothing depends on less.
	clockTolerance = 2 * time.Minute
	// clockAgree is by how much answers may differ that tell of the same difference.
	clockAgree = time.Minute
	// clockWrong is from when on it is one of the things that are not well.
	clockWrong = 5 * time.Minute
	// clockPatience is how long it may stay open what a difference is that was heard once, or since the clock was set.
	clockPatience = 5 * time.Minute
)

// clockWatch knows by how much the clock of this machine is ahead of the one of a platform, and tells people when that is too much.
type clockWatch struct {
	log      *slog.Logger
	platform string
	changed  func(*clockWatch) // is told when the difference is another one, or known again to who has asked for it
	answered atomic.Bool       // the platform has answered in this process

	mu           sync.Mutex    // guards the fields below
	known        bool          // ahead is
	ahead        time.Duration // of the platform, when it was heard last
	steady, wall time.Time     // when that was: by the clock that nobody sets, and on the wall
	once         bool          // odd was heard once, and is to be confirmed
	odd          time.Duration
	asked        time.Time     // since when somebody wants to know what is not known; zero: nobody does
	told         time.Duration // what the log says
	most         time.Duration // the furthest that this machine was ahead
}

// noteAnswer notes that the platform has answered, maybe without a word of what time it is.
func (w *clockWatch) noteAnswer() {
	if w.answered.Load() || w.answered.Swap(true) {
		return
	}
	w.mu.Lock()
	tells := !w.asked.IsZero() && w.isClearLocked(time.Now())
	w.mu.Unlock()
	if tells {
		w.changed(w)
	}
}

// noteAhead is told by how much this machine is ahead. What is another difference than before counts when it is heard twice: an answer that was read
// much later than it came, since the machine slept, or that somebody on the way has dated, is as odd as a wrong clock.
func (w *clockWatch) noteAhead(ahead time.Duration) {
	w.mu.Lock()
	same := ahead.Abs() < clockTolerance
	if w.known { // what the clock was set by since then is a second witness
		same = (ahead-w.ahead).Abs() < clockAgree || (ahead-w.ahead-w.setLocked(time.Now())).Abs() < clockAgree
	}
	confirmed := w.once && (ahead-w.odd).Abs() < clockAgree
	w.once, w.odd = false, 0
	if !same && !confirmed { //mutate:clock-twice
		w.once, w.odd = true, ahead
		w.mu.Unlock()
		return
	}
	tells := !w.asked.IsZero() || (ahead-w.ahead).Abs() >= clockAgree
	w.noteKnownLocked(ahead)
	w.mu.Unlock()
	if tells {
		w.changed(w)
	}
}

// noteKnownLocked notes by how much this machine is ahead, and says so in the log when that is too much, or is not any more.
func (w *clockWatch) noteKnownLocked(ahead time.Duration) {
	if !w.known || ahead > w.most {
		w.most = ahead
	}
	w.known, w.ahead, w.asked = true, ahead, time.Time{}
	w.holdLocked(time.Now())
	about := []any{"platform", w.platform, "by", ahead.Abs().Round(time.Second)}
	switch {
	case ahead.Abs() < clockTolerance && w.told != 0:
		w.told = 0
		w.log.Info("the clock of this machine agrees with the one of the platform again", "platform", w.platform)
	case ahead.Abs() < clockTolerance || (ahead-w.told).Abs() < clockTolerance:
	case ahead < 0:
		w.told = ahead
		w.log.Warn("the clock of this machine is behind the one of the platform: what has a time comes that much too late; set the clock", about...)
	default:
		w.told = ahead
		w.log.Warn("the clock of this machine is ahead of the one of the platform: what has a time comes that much too early; set the clock", about...)
	}
}

// holdLocked takes the clock as it stands for the one of which the difference is known.
func (w *clockWatch) holdLocked(now time.Time) { w.steady, w.wall = now, now.Round(0) }

// knownAhead returns by how much this machine is ahead, 0 where the platform does not say. It is false as long as that is open: nothing was heard yet since
// the start, something odd was heard once, or the clock was set, or the machine slept, since it was heard. Who has asked then is told when it is known.
func (w *clockWatch) knownAhead() (ahead time.Duration, known bool) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if known = w.isClearLocked(now); known {
		w.asked = time.Time{}
	} else if w.asked.IsZero() {
		w.asked = now
	}
	return w.ahead, known
}

// setLocked returns by how much the clock was set ahead since its difference was known. A machine that slept looks as if it was.
func (w *clockWatch) setLocked(now time.Time) time.Duration {
	return now.Round(0).Sub(w.wall) - now.Sub(w.steady)
}

// isClearLocked reports whether it is known by how much this machine is ahead, or the platform does not say.
func (w *clockWatch) isClearLocked(now time.Time) bool {
	switch {
	case w.known && w.setLocked(now).Abs() < clockAgree: //mutate:clock-set
		return true
	case !w.known && !w.once:
		return w.answered.Load()
	case w.asked.IsZero() || now.Sub(w.asked) < clockPatience:
		return false
	}
	// Nothing more is heard: it is as it was known before, or nobody says.
	w.once, w.odd = false, 0
	w.holdLocked(now)
	return true
}

// earliestTime returns when a moment was at the earliest by the clock of the platform, of which this machine's clock has told when it was: who
// has to know whether it was before something that the platform dates is on the safe side with that, also when the clock was set since.
func (w *clockWatch) earliestTime(at time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.known {
		return at.Add(-w.odd)
	}
	return at.Add(-max(w.most, w.odd)) //mutate:clock-earliest
}

// trouble says that this machine's clock is wrong; false when it is not, as far as is known.
func (w *clockWatch) trouble() (record.Trouble, bool) {
	w.mu.Lock()
	ahead := w.ahead.Round(time.Minute)
	w.mu.Unlock()
	if ahead.Abs() <= clockWrong {
		return record.Trouble{}, false
	}
	is, comes := "ahead of", "early"
	if ahead < 0 {
		is, comes = "behind", "late"
	}
	by := strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(ahead.Abs().String())
	return record.Trouble{
		Why:  event.Because(record.TroubleClock, "source", w.platform, "ahead", ahead.String()),
		Says: "the clock of this machine is " + by + " " + is + " that of " + w.platform + ": hours and quiet hours come " + by + " too " + comes + ", and slots of campaigns wait unless they may go by it",
		Do:   "set the clock, and let the system keep it by the network; if it is the platform that is wrong: nectar campaigns allow --clock",
	}, true
}

// clockTroubles says of which platforms this machine's clock is wrong.
func (b *Bot) clockTroubles() (all []record.Trouble) {
	b.mu.Lock()
	sites := make([]*site, 0, len(b.sites))
	for _, s := range b.sites {
		sites = append(sites, s)
	}
	b.mu.Unlock()
	slices.SortFunc(sites, func(x, y *site) int { return strings.Compare(x.clock.platform, y.clock.platform) })
	for _, s := range sites {
		if t, wrong := s.clock.trouble(); wrong {
			all = append(all, t)
		}
	}
	return all
}

// tellClock begins the turns that want to know by how much the clock is off, of the accounts that have asked for it.
func (b *Bot) tellClock(w *clockWatch) {
	for _, a := range b.accounts.all() {
		if a.site.clock == w && a.asksClock.Load() {
			a.submitStarts(func(rt *Route) bool { return rt.ways().Clocked })
		}
	}
}
