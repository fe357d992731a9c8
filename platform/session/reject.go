package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

const (
	// youth is how old a session must be for a 401 to be believed without a probe. It keeps an endpoint that always
	// answers 401 from renewing the session with each call.
	youth = time.Minute

	// A probe that tells nothing (outage, 5xx) is repeated after doubtPause; after maxDoubts of them the refusal is
	// believed, so that a broken probe does not hold back a refused call for good.
	doubtPause = 5 * time.Second
	maxDoubts  = 3
)

// check is what probes have shown of one session.
type check struct {
	fine   uint64 // the number of the probe that vouched for it last: refusals before that began are about the calls
	doubts int    // probes in a row that told nothing
	pause  PausedError
}

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
// Until. The third such probe in a row leaves the refusal as it is.
//
// The errors are those of SessionID.
func (b *Broker) Rejected(ctx context.Context, id platform.Secret, refusal *platform.Refused) (again bool, err error) {
	b.mu.Lock()
	before := b.probes
	b.mu.Unlock()
	for {
		v, f, err := b.judge(ctx, id, refusal, before)
		switch {
		case err != nil || v == genuine:
			return false, err
		case v == stale:
			_, err := b.SessionID(ctx)
			return err == nil, err
		}
		if _, err := b.wait(ctx, f, 0); err != nil {
			return false, err
		}
	}
}

type verdict uint8

const (
	unknown verdict = iota // a probe is under way
	genuine                // the refusal is about the call
	stale                  // the refusal is about the session
)

// judge decides what a refusal was about that came when so many probes had begun. When that is not known it returns a
// probe to wait for.
func (b *Broker) judge(ctx context.Context, id platform.Secret, refusal *platform.Refused, before uint64) (verdict, *flight, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if id != b.kept.SessionID || b.refused {
		return stale, nil, nil
	}
	vouched := b.check != nil && b.check.fine > before //mutate:vouched
	//mutate:probe-waits
	if b.probe != nil && !vouched {
		return unknown, b.probe, nil
	}
	young := now.Sub(b.kept.Obtained) < youth
	if b.kept.expired(&b.cfg, now) || errors.Is(refusal, platform.ErrUnauthorized) && !young {
		b.refused = true
		return stale, nil, nil
	}
	if vouched {
		return genuine, nil, nil
	}
	if c := b.check; c != nil && now.Before(c.pause.Until) {
		again := c.pause
		return unknown, nil, &again
	}
	b.probes++
	number := b.probes
	f := b.fly(ctx, &b.probe, probing, func(ctx context.Context) error {
		err := b.ask(ctx, id)
		b.mu.Lock()
		defer b.mu.Unlock()
		if id == b.kept.SessionID {
			b.refused, b.check = b.refused || dead(err), b.check.after(&b.cfg, number, err)
		}
		return nil
	})
	return unknown, f, nil
}

// ask makes the probe.
func (b *Broker) ask(ctx context.Context, id platform.Secret) error {
	if b.cfg.Probe != nil {
		return b.cfg.Probe(ctx, id)
	}
	_, err := b.cfg.Client.WithSession(fixed(id)).Feed(ctx, platform.FeedParams{PageSize: 1})
	return err
}

// dead tells whether the answer to a probe, a well-formed call, is that its session is not valid.
func dead(err error) bool {
	return !errors.Is(err, platform.ErrRateLimited) &&
		(errors.Is(err, platform.ErrUnauthorized) || errors.Is(err, platform.ErrInvalid) || errors.Is(err, platform.ErrBadCredentials))
}

// after returns what is known after the probe of that number ended with err.
func (c *check) after(cfg *Config, number uint64, err error) *check {
	next := check{}
	if err == nil || clearly(err) {
		next.fine = number
		return &next
	}
	if c != nil {
		next.doubts = c.doubts
	}
	if next.doubts++; next.doubts >= maxDoubts {
		next.fine = number
		return &next
	}
	next.pause = PausedError{
		Account: cfg.Account, Until: time.Now().Add(max(doubtPause, platform.RetryAfter(err))),
		Err: fmt.Errorf("a call was refused and it is not clear whether the session is still valid: %w", err),
	}
	return &next
}
