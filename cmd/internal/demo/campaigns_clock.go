package demo

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/bare"
)

// WrongClock is a time in which the platform's clock was not that of the bot's machine: for the bot, the machine's is wrong.
type WrongClock struct {
	Ahead       time.Duration // of the machine's
	From, Until time.Time
	Cold        bool // the bot has started with it, and has decided nothing before
}

const (
	// clockLong is the shortest demo in which the clock is wrong once more, while slots are decided.
	clockLong = 5 * time.Minute
	// clockHeard is how long a bot has to run that has heard a clock twice, as it has to before it believes it: it looks each ten seconds.
	clockHeard = 25 * time.Second
	// clockSurely is after what time nothing leaves any more that was decided before the bot can have heard it, however often it is killed meanwhile.
	clockSurely = clockHeard + time.Minute + 5*demoNear
)

// planClocks plans when the clock is wrong: from before the bot starts until some slots were due, and in a longer demo once more.
func (st *stage) planClocks(begin time.Time) {
	if !st.demo.hasEdited() {
		return
	}
	// It is behind, since what people do meanwhile is done: by a clock that is ahead, slots may be over that they move.
	st.clocks = append(st.clocks, WrongClock{Ahead: -20 * time.Minute, From: time.Now(), Until: begin.Add(6 * time.Second), Cold: true})
	st.platform.SetClock(st.clocks[0].Ahead)
	if st.demo.Lasts >= clockLong {
		st.clocks = append(st.clocks, WrongClock{Ahead: time.Hour, From: begin.Add(160 * time.Second), Until: begin.Add(280 * time.Second)})
	}
}

// hasClockFor reports whether the clock is as it was when the bot started, and is believed, as long as somebody changes campaigns.
func (st *stage) hasClockFor(from, until time.Time) bool {
	for _, w := range st.clocks {
		if !w.Cold && from.Before(w.Until.Add(clockHeard)) && until.After(w.From) {
			return false
		}
	}
	return true
}

// turnClock sets the clock wrong, and right again, as it is planned.
func (st *stage) turnClock(ctx context.Context) {
	for _, w := range st.clocks {
		if bare.Wait(ctx, time.Until(w.From)); ctx.Err() == nil && !w.Cold { // or it is wrong already
			st.platform.SetClock(w.Ahead)
		}
		if bare.Wait(ctx, time.Until(w.Until)); ctx.Err() == nil {
			st.platform.SetClock(0)
		}
	}
}

// HeldFrom returns from when on nothing may begin to leave. The bot is killed at some times.
func (w *WrongClock) HeldFrom(kills []time.Time) time.Time {
	if w.Cold {
		return w.From
	}
	since := w.From // the bot runs that hears it
	for _, k := range kills {
		if k.After(since) && k.Before(since.Add(clockHeard)) {
			since = k
		}
	}
	if surely := w.From.Add(clockSurely); surely.Before(since.Add(clockHeard + demoNear)) {
		return surely
	}
	return since.Add(clockHeard + demoNear)
}

// isExcused reports whether nothing need come in a slot since the clock is wrong: it was decided when that was found out, or over when it was heard to be right.
func (w *WrongClock) isExcused(slot time.Time) bool {
	if slot.Add(Tolerance).Before(w.From) {
		return false
	}
	decided := !w.Cold && slot.Before(w.From.Add(clockHeard+time.Minute))
	over := slot.Add(Tolerance).Before(w.Until.Add(clockHeard))
	return decided || over
}
