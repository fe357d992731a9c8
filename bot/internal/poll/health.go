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
	keptPause      = time.Second      // while this process keeps everything back
)

// health says whether a source works, and when it may be tried again.
type health struct {
	fails   int // in a row
	retryAt time.Time
	doze    *doze // nil while it works
}

// noteCycle takes the outcome of a cycle. The platform answered a call of the account at good, the last time.
func (h *health) noteCycle(cfg *Config, err error, good time.Time) {
	if err == nil {
		*h = health{}
		return
	}
	now := time.Now()
	if errors.Is(err, platform.ErrUnsent) { //mutate:kept-back
		h.retryAt = now.Add(keptPause)
		return
	}
	if h.fails == 0 {
		h.doze = &doze{since: now}
	}
	h.fails++
	h.retryAt = now.Add(max(h.doze.fail(cfg, now, good, err), min(platform.RetryAfter(err), longestHold))) //mutate:retry-after
	// What is wrong with the session, its keeper tells, once for everybody.
	h.doze.loud = h.fails >= failsToReport && !errors.Is(err, platform.ErrNoSession)
}

// logHealth logs when a source of the account fails, with the first failure of the cycle, and when all work
// again.
func (p *Poller) logHealth(ctx context.Context, failures []error) {
	working, loud, since := true, false, time.Now()
	for _, s := range p.sources {
		h := s.health()
		if h.fails == 0 {
			continue
		}
		working, loud = false, loud || h.doze.loud
		if h.doze.since.Before(since) {
			since = h.doze.since
		}
	}
	account := slog.String("account", string(p.cfg.Account))
	switch {
	case loud && p.outage == 0 && len(failures) > 0:
		p.outage = since.UnixMilli()
		p.cfg.Log.LogAttrs(ctx, slog.LevelWarn, "polling fails", account, slog.Any("error", failures[0]))
	case working && p.outage != 0:
		p.cfg.Log.LogAttrs(ctx, slog.LevelInfo, "polling works again", account, slog.Duration("after", time.Since(time.UnixMilli(p.outage)).Round(time.Second)))
		p.outage = 0
	}
}

// firstBackOff is the pause after the first failure, if it is no shorter than the shortest.
func firstBackOff(cfg *Config) time.Duration { return max(min(cfg.Interval, time.Second), shortest) }

// backOff returns the pause after so many failures in a row, at least one: base after the first, and
// twice as long after each further one.
func backOff(base time.Duration, fails int) time.Duration {
	return pauseAfter(base, fails, longestBackOff)
}

// pauseAfter is backOff with another longest pause.
func pauseAfter(base time.Duration, fails int, longest time.Duration) time.Duration {
	pause := max(base, shortest)
	for range fails - 1 {
		if pause >= longest {
			break
		}
		pause *= 2
	}
	return min(pause, longest) //mutate:back-off
}
