package poll

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// A source that fails is left alone for longer and longer. Where it failed because the platform could not be reached, or
// did not work, a good answer to any call of the account tells that this is over, or was for a moment: then the source
// is polled soon, and its pauses begin anew. When that was in vain they begin longer each time, as long as others get
// their answers: a source which alone is broken is not asked at the pace of the others.

// illness is what a good answer has to know while a source fails. It may be used at any time; times count from began.
type illness struct {
	began time.Time
	woken atomic.Bool  // the next cycle is to wake sources
	from  atomic.Int64 // from when on one that is left alone may be woken; 0: there is none
	good  atomic.Int64 // when a good answer came last
}

// doze is how a source that fails is left alone.
type doze struct {
	since    time.Time
	loud     bool      // the log is to hear of it
	failedAt time.Time // last
	wakable  bool      // a good answer to another call may wake it
	pauses   int       // since they began anew
	asked    int       // times in a row that the platform wanted fewer calls, and did not say for how long
	wakes    int       // how often they did, in vain
	wokenAt  time.Time // by a good answer, the last time
}

// WakeSources tells the poller that the platform answered a call of the account, whosever that was. When sources are left alone
// that may work again, it reports from when on a cycle should be made; see Schedule.KickAt. It may be called at any
// time, and costs next to nothing while all sources work.
func (p *Poller) WakeSources() (at time.Time, ok bool) {
	ill := p.ill.Load()
	if ill == nil {
		return time.Time{}, false
	}
	now := int64(time.Since(ill.began))
	ill.good.Store(now)
	from := ill.from.Load()
	// Of many answers at once one wakes: the others find nothing to be woken.
	if from == 0 || !ill.from.CompareAndSwap(from, 0) {
		return time.Time{}, false
	}
	ill.woken.Store(true)
	return ill.began.Add(time.Duration(max(now, from))), true
}

// wake wakes the sources that Wake was called for.
func (p *Poller) wake(ctx context.Context) {
	if ill := p.ill.Load(); ill == nil || !ill.woken.Swap(false) {
		return
	}
	p.cfg.Yield(ctx, "poller of "+string(p.cfg.Account))
	now := time.Now()
	for _, s := range p.sources {
		s.health().wake(&p.cfg, now)
	}
}

// noteNapping notes which sources that are not due at a time Wake may wake.
func (p *Poller) noteNapping(now time.Time) {
	ill := p.ill.Load()
	if !slices.ContainsFunc(p.sources, func(s source) bool { return s.health().fails > 0 }) {
		if ill != nil {
			p.ill.Store(nil)
		}
		return
	}
	if ill == nil {
		ill = &illness{began: now}
		p.ill.Store(ill)
	}
	from := int64(0)
	for _, s := range p.sources {
		at, may := s.health().wakeFrom(&p.cfg, now)
		if since := max(1, int64(at.Sub(ill.began))); may && (from == 0 || since < from) {
			from = since
		}
	}
	ill.from.Store(from)
}

// lastGood returns when the platform last answered while a source failed, the zero time for never.
func (p *Poller) lastGood() time.Time {
	ill := p.ill.Load()
	if ill == nil || ill.good.Load() == 0 {
		return time.Time{}
	}
	return ill.began.Add(time.Duration(ill.good.Load()))
}

// wakeFrom returns from when on a good answer may wake a source, and whether it may: soon at first, and later each time
// that it was in vain.
func (h *health) wakeFrom(cfg *Config, now time.Time) (from time.Time, may bool) {
	d := h.doze
	if d == nil || !d.wakable || !h.retryAt.After(now) {
		return time.Time{}, false
	}
	from = d.failedAt
	if d.wokenAt.After(from) {
		from = d.wokenAt
	}
	from = from.Add(backOff(firstBackOff(cfg), d.wakes+1))
	return from, from.Before(h.retryAt)
}

// wake lets a source be polled as soon as it may.
func (h *health) wake(cfg *Config, now time.Time) {
	from, may := h.wakeFrom(cfg, now)
	if !may {
		return
	}
	if from.Before(now) {
		from = now
	}
	h.retryAt, h.doze.wokenAt = from, from
	h.doze.renew()
}

// leaveAlone lets a source rest until then, also when others are heard.
func (h *health) leaveAlone(until time.Time) {
	h.retryAt = until
	if h.doze != nil {
		h.doze.wakable = false
	}
}

// fail notes a failure, and returns for how long the source is left alone. The platform gave a good answer at good, the
// last time.
func (d *doze) fail(cfg *Config, now, good time.Time, err error) time.Duration {
	if errors.Is(err, platform.ErrRateLimited) { // also after other failures: as long as it says, or else a little at first
		d.failedAt, d.wakable = now, false
		if platform.RetryAfter(err) > 0 {
			d.asked = 0
			return 0
		}
		d.asked++
		return backOff(firstBackOff(cfg), d.asked)
	}
	d.asked = 0
	switch {
	case !d.wakable: // nor is it after the first failure
	case good.Before(d.failedAt): // nobody got an answer since: it is not this source alone
		d.wakes = 0
	//mutate:pauses-anew
	case d.wokenAt.Before(d.failedAt): // it was not woken
		d.renew()
	}
	d.pauses++
	d.failedAt, d.wakable = now, unreached(err)
	return backOff(firstBackOff(cfg), d.pauses)
}

// renew lets the pauses begin anew.
func (d *doze) renew() {
	d.pauses = min(d.pauses, d.wakes)
	d.wakes++
}

// unreached reports whether a failure says that the platform could not be reached, or did not work, and not that it wants
// to be left alone.
func unreached(err error) bool {
	if platform.RetryAfter(err) > 0 || errors.Is(err, platform.ErrRateLimited) || errors.As(err, new(*deliveryError)) { //mutate:unreached-limit
		return false
	}
	return errors.As(err, new(*platform.Unreachable)) || errors.As(err, new(*platform.Unreadable)) ||
		errors.Is(err, platform.ErrServer) || errors.Is(err, platform.ErrNoSession)
}
