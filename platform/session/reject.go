package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

const (
	// youth is how old a session must be for a 401 to be believed without a probe. It keeps an endpoint that always
	// answers 401 from renewing the session with each call.
	youth = time.Minute

	// A probe that tells nothing (outage, 5xx) is repeated after doubtPause, then twice as long each time, or when the platform wants it
	// to, but no later than after longestDoubt. After maxDoubts of them, a quarter of a minute, the session is used again and a refusal
	// believed, so that a broken probe holds back nobody for good.
	doubtPause   = time.Second
	longestDoubt = time.Minute
	maxDoubts    = 5
)

// check is what probes have found out about one session.
type check struct {
	fine   uint64    // the number of the probe that vouched for it last: refusals before that began are about the calls
	at     time.Time // when that was answered; zero: it was not, and nobody can be asked
	doubts int       // probes in a row that told nothing
	pause  PausedError
	known  verdicts
}

// isDoubtful reports whether nobody knows if the session is still good.
func (c *check) isDoubtful() bool { return c != nil && !c.pause.Until.IsZero() }

// fixed is a session as it is: never renewed.
type fixed platform.Secret

func (f fixed) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(f), nil }

func (f fixed) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}

// Rejected is told that a call sent with id was refused with code 401, or with 400, which may mean the same. It
// reports whether the call may be sent once more, with another session.
//
// A caller whose id is not the current one gets the current one. Otherwise code 401 renews the session. Code 400, and
// a 401 for a session less than a minute old, first ask Config.Probe whether the session is still good; a good one
// makes the refusals genuine that came before the probe began. One that began before says nothing: the session may have
// ended since. A probe that tells nothing gives a *[PausedError]: the call was not handled, and may be sent again after
// Until. Until then nobody gets that session; then the first caller makes another probe. After the fifth such
// probe in a row the session is handed out again, and the next one leaves the refusal as it is.
//
// The errors are those of SessionID.
func (b *Broker) Rejected(ctx context.Context, id platform.Secret, refusal *platform.Refused) (again bool, err error) {
	b.mu.Lock()
	// Counted before anything is waited for: only a probe that begins after this refusal says something of it.
	before := b.probes
	b.mu.Unlock()
	for waited := false; ; waited = true {
		v, f, err := b.judge(ctx, id, refusal, before)
		switch {
		case err != nil || v == genuine:
			return false, err
		case v == stale:
			if waited {
				b.learnEnd(refusal)
			}
			_, err := b.SessionID(ctx)
			return err == nil, err
		}
		if _, err := b.wait(ctx, f, 0); err != nil {
			return false, err
		}
	}
}

type refusalCause uint8

const (
	unknown refusalCause = iota // a probe is under way
	genuine                     // the refusal is about the call
	stale                       // the refusal is about the session
)

// judge decides what a refusal was about that came when so many probes had begun. When that is not known it returns a
// probe to wait for.
func (b *Broker) judge(ctx context.Context, id platform.Secret, refusal *platform.Refused, before uint64) (refusalCause, *flight, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	// Many calls are refused together when a session ends: the first one renews it, and for all others there is a new one already.
	if id != b.kept.SessionID || b.refused {
		return stale, nil, nil
	}
	vouched := b.check != nil && b.check.fine > before //mutate:vouched
	//mutate:probe-waits
	if b.probe != nil && !vouched {
		return unknown, b.probe, nil
	}
	young := now.Sub(b.kept.Obtained) < youth
	if b.kept.isExpired(&b.cfg, now) || errors.Is(refusal, platform.ErrUnauthorized) && !young {
		b.refused = true
		b.inVainLocked(now, refusal)
		return stale, nil, nil
	}
	switch {
	case vouched:
		b.check.known.noteVerdict(refusal, b.check.at)
		return genuine, nil, nil
	case b.check != nil && b.check.known.isGenuine(refusal, now) && !b.past.maySayEnd(refusal): //mutate:verdict-holds
		return genuine, nil, nil
	}
	f, err := b.proveLocked(ctx, now)
	return unknown, f, err
}

// proveLocked returns a probe to wait for, started if need be; the error says that it is too early for another one. The caller
// holds b.mu.
func (b *Broker) proveLocked(ctx context.Context, now time.Time) (*flight, error) {
	switch {
	case b.probe != nil:
		return b.probe, nil
	case b.check.isDoubtful() && now.Before(b.check.pause.Until):
		again := b.check.pause
		return nil, &again
	}
	b.probes++
	number, id := b.probes, b.kept.SessionID
	return b.takeOffLocked(ctx, &b.probe, probing, func(ctx context.Context) error {
		b.proved(ctx, id, number, b.ask(ctx, id))
		return nil
	}), nil
}

// proved takes what came of the probe of that number, and tells when it becomes unclear whether its session is good, and
// when that is over.
func (b *Broker) proved(ctx context.Context, id platform.Secret, number uint64, err error) {
	b.mu.Lock()
	// Another session came while the probe was on its way: what it shows is of no more use, and would condemn the new one.
	if id != b.kept.SessionID {
		b.mu.Unlock()
		return
	}
	before := b.check.isDoubtful()
	if isInvalidSession(err) && !b.refused {
		b.refused = true
		b.inVainLocked(time.Now(), err)
	}
	b.check = b.check.nextCheck(&b.cfg, number, err)
	now := b.check.isDoubtful()
	b.mu.Unlock()
	switch {
	case now && !before:
		b.cfg.Log.WarnContext(ctx, "it is not clear whether the session is still valid; calls wait until it is",
			slog.String("account", b.cfg.Account), slog.Any("error", err))
	case before && !now:
		b.cfg.Log.InfoContext(ctx, "calls do not wait any more for a session that was in doubt", slog.String("account", b.cfg.Account))
	}
}

// ask makes the probe.
func (b *Broker) ask(ctx context.Context, id platform.Secret) error {
	if b.cfg.Probe != nil {
		return b.cfg.Probe(ctx, id)
	}
	ctx, cancel := b.boundFlight(ctx)
	defer cancel()
	_, err := b.cfg.Client.WithSession(fixed(id)).Feed(ctx, platform.PageParams{PageSize: 1})
	return err
}

// isInvalidSession reports whether the answer to a probe, a well-formed call, is that its session is not valid.
func isInvalidSession(err error) bool {
	return !errors.Is(err, platform.ErrRateLimited) &&
		(errors.Is(err, platform.ErrUnauthorized) || errors.Is(err, platform.ErrInvalid) || errors.Is(err, platform.ErrBadCredentials))
}

// nextCheck returns what is known after the probe of that number ended with err.
func (c *check) nextCheck(cfg *Config, number uint64, err error) *check {
	next := check{}
	if c != nil {
		next.known = c.known
	}
	if err == nil {
		next.at = time.Now()
	}
	if err == nil || isClearNo(err) {
		next.fine = number
		return &next
	}
	if c != nil {
		next.doubts = c.doubts
	}
	// As if it had vouched: a probe that never tells would hold all calls of the account back for ever.
	if next.doubts++; next.doubts >= maxDoubts {
		next.fine = number
		return &next
	}
	wait := min(platform.RetryAfter(err), longestDoubt)
	if !errors.Is(err, platform.ErrRateLimited) || wait == 0 {
		wait = max(wait, doubtPause<<(next.doubts-1))
	}
	next.pause = PausedError{
		Account: cfg.Account, Until: time.Now().Add(wait),
		Err: fmt.Errorf("a call was refused and it is not clear whether the session is still valid: %w", err),
	}
	return &next
}
