package session

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// PausedError says that the account has no session now and that nobody asks the platform for one before Until; the
// first caller after it does. It does not unwrap to Err: the failure of a sign-in must not be taken for the answer to
// the call that waited for it. That call did not happen.
type PausedError struct {
	Account string
	Until   time.Time
	// Refused tells that the platform refused the credentials. Otherwise it could not be reached, failed, or asked us
	// to slow down. errors.Is(err, platform.ErrBadCredentials) tells the same.
	Refused bool
	// Waits tells that it is not yet the account's turn to sign in for the first time; see [Entrance].
	Waits bool
	Err   error
}

// Error says what failed and when it is tried again.
func (e *PausedError) Error() string {
	hint := ""
	if e.Refused {
		hint = "; check the e-mail address and the password"
	}
	return fmt.Sprintf("account %q: %v; next try at %s%s", e.Account, e.Err, e.Until.Format(time.RFC3339), hint)
}

// Is makes refused credentials equal to platform.ErrBadCredentials.
func (e *PausedError) Is(target error) bool {
	return e.Refused && target == platform.ErrBadCredentials
}

// ParkedError says that the account cannot sign in again by itself: its social sign-in was refused, or it has no
// credentials, or they belong to another user than what is kept of the account. That lasts until the program is started
// with other credentials. Like [PausedError] it does not unwrap.
type ParkedError struct {
	Account string
	// Provider is the social identity provider, or "" when there are no credentials at all, or another person's.
	Provider string
	Err      error
	// Known is the user that the account belongs to, and Other the one that signed in instead, with ID and Username. Both are zero for any other cause.
	Known, Other platform.Person
}

// Error says what to do.
func (e *ParkedError) Error() string {
	if e.Other.ID != 0 {
		return e.anotherText()
	}
	if e.Provider == "" {
		return fmt.Sprintf("account %q has no session and no credentials: set an e-mail address and a password, or a social sign-in, and start again", e.Account)
	}
	return fmt.Sprintf("account %q is parked: its %s sign-in cannot be renewed (%v): get a new token from %s, set it as the OAuth token of this account, and start again; nothing is lost meanwhile",
		e.Account, e.Provider, e.Err, e.Provider)
}

// pause is why and until when no renewal is tried. It outlives its end, because the next one is longer; it goes with
// the next session.
type pause struct {
	until    time.Time
	reason   reason
	err      error // *PausedError or *ParkedError
	refusals int   // refused sign-ins since the last session
	outages  int   // failures of other kinds since then
	limited  int   // times that the platform wanted fewer calls, and did not say for how long, in a row
}

type reason uint8

const (
	byOutage reason = iota
	byRefusal
	forGood
	byTurn
	byLimit
)

const (
	minOutage = time.Second
	maxOutage = time.Minute
)

// nextPause returns the pause that follows p (nil: none) when a renewal failed with err.
func (p *pause) nextPause(cfg *Config, err error, now time.Time) *pause {
	next := pause{}
	if p != nil {
		next.refusals, next.outages = p.refusals, p.outages
	}
	if final := (*ParkedError)(nil); errors.As(err, &final) {
		next.reason, next.err = forGood, final
		return &next
	}
	if turn := (*turnError)(nil); errors.As(err, &turn) {
		next.reason, next.until = byTurn, turn.until
		next.err = &PausedError{Account: cfg.Account, Until: next.until, Waits: true, Err: turn}
		return &next
	}
	if limit := (*limitError)(nil); errors.As(err, &limit) {
		next.reason, next.until = byLimit, limit.until
		next.err = &PausedError{Account: cfg.Account, Until: next.until, Err: limit}
		return &next
	}
	wait := platform.RetryAfter(err)
	switch limited := errors.Is(err, platform.ErrRateLimited); {
	case signInRefused(err):
		next.reason = byRefusal
		wait = growingPause(cfg.MinPause, cfg.MaxPause, next.refusals, cfg.Account)
		next.refusals++
	case limited && wait > 0: // as long as the platform asks for, however often it has failed before
	case limited:
		if p != nil {
			next.limited = p.limited
		}
		wait = growingPause(minOutage, maxOutage, next.limited, cfg.Account)
		next.limited++
	default:
		wait = max(growingPause(minOutage, maxOutage, next.outages, cfg.Account), wait)
		next.outages++
	}
	next.until = now.Add(wait)
	next.err = &PausedError{Account: cfg.Account, Until: next.until, Refused: next.reason == byRefusal, Err: err}
	return &next
}

// growingPause doubles from least to most, with up to a fifth added so that accounts do not march in step.
func growingPause(least, most time.Duration, times int, account string) time.Duration {
	d := least
	for range times {
		if d *= 2; d >= most { //mutate:pause-grows
			break
		}
	}
	d = min(d, most)
	return d + time.Duration(drawn(account, times)%uint64(d/5+1))
}

// drawn returns a number that differs between accounts and times, and is the same whenever it is
// asked for.
func drawn(account string, times int) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, times, account) // a hash takes everything
	return h.Sum64()
}

func (p *pause) isBlocking(now time.Time) bool {
	return p != nil && (p.reason == forGood || now.Before(p.until)) //mutate:parked
}
