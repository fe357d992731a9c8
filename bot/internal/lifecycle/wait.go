package lifecycle

import (
	"context"
	"math"
	"time"
)

// Cause says what ended a wait.
type Cause int

// What may end a wait. When several things have, it is Over before all others, and TimeUp last.
const (
	Over      Cause = iota // its context is done, or what it is for is stopped
	Signalled              // the signal came
	TimeUp                 // the time has passed
)

// Forever is a time that does not pass.
const Forever time.Duration = math.MaxInt64

// Wait waits for a signal – something sent, or the channel closed –, at most for d, and no longer than ctx lives and stop is open. A time
// that is not above 0 has passed already; a nil channel never says anything.
func Wait(ctx context.Context, d time.Duration, signal, stop <-chan struct{}) Cause {
	if cause, ended := look(ctx, signal, stop); ended || d <= 0 {
		return cause
	}
	var over <-chan time.Time
	if d != Forever {
		t := time.NewTimer(d)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-signal:
		return Signalled
	case <-over:
		return TimeUp
	case <-stop:
	case <-ctx.Done():
	}
	return Over
}

// look is Wait without waiting; ended is false when only the time could be over.
func look(ctx context.Context, signal, stop <-chan struct{}) (cause Cause, ended bool) {
	select {
	case <-stop:
		return Over, true
	case <-ctx.Done():
		return Over, true
	default:
	}
	select {
	case <-signal:
		return Signalled, true
	default:
		return TimeUp, false
	}
}

// Sleep waits for d, and returns nil; when ctx ends before, its cause.
func Sleep(ctx context.Context, d time.Duration) error {
	if Wait(ctx, d, nil, nil) == Over {
		return context.Cause(ctx)
	}
	return nil
}
