package poll

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

const (
	longestBackOff = time.Minute
	longestHold    = 15 * time.Minute // a longer Retry-After is not believed
	failsToReport  = 3                // in a row, before the log hears of it
)

// health says whether a source works, and when it may be tried again.
type health struct {
	fails   int // in a row
	since   time.Time
	retryAt time.Time
}

// note takes the outcome of a cycle and logs a change of state.
func (h *health) note(ctx context.Context, cfg *Config, list string, err error) {
	now := time.Now()
	if err == nil {
		if h.fails >= failsToReport {
			cfg.Log.LogAttrs(ctx, slog.LevelInfo, "polling works again", slog.String("account", string(cfg.Account)),
				slog.String("list", list), slog.Duration("after", now.Sub(h.since)))
		}
		*h = health{}
		return
	}
	if h.fails == 0 {
		h.since = now
	}
	h.fails++
	h.retryAt = now.Add(max(backOff(min(cfg.Interval, time.Second), h.fails), retryAfter(err)))
	if h.fails == failsToReport {
		cfg.Log.LogAttrs(ctx, slog.LevelWarn, "polling fails", slog.String("account", string(cfg.Account)),
			slog.String("list", list), slog.Any("error", err))
	}
}

// backOff returns the pause after so many failures in a row, at least one: base after the first, and
// twice as long after each further one.
func backOff(base time.Duration, fails int) time.Duration {
	pause := max(base, shortest)
	for range fails - 1 {
		if pause >= longestBackOff {
			break
		}
		pause *= 2
	}
	return min(pause, longestBackOff)
}

// retryAfter returns how long the platform asked to be left alone, 0 when it did not.
func retryAfter(err error) time.Duration {
	if refused := (*platform.Refused)(nil); errors.As(err, &refused) {
		return min(refused.RetryAfter, longestHold)
	}
	if unreadable := (*platform.Unreadable)(nil); errors.As(err, &unreadable) {
		return min(unreadable.RetryAfter, longestHold)
	}
	return 0
}
