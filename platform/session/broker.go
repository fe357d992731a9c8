package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// courtesy is how long a caller with a session that is still good waits for its renewal to end. A platform may drop the
// old session the moment it issues the new one, so it is better to wait; but not for a platform that hangs.
const courtesy = 2 * time.Second

// Broker keeps one account signed in. It is safe for concurrent use and implements platform.Authorizer.
type Broker struct {
	cfg  Config // set by New
	turn int64  // of the flight under way: its number among those that sign in for the first time

	accepted // which session has served

	mu      sync.Mutex // guards the fields below
	loaded  bool       // kept has been read from the keeper
	refused bool       // the platform refused kept's session
	restore bool       // somebody restores at the moment
	vain    int32      // sessions in a row that were got in vain
	past    *past      // nil: nothing is remembered
	kept    Kept
	flight  *flight
	probe   *flight
	probes  uint64     // how many have begun
	pause   *pause     // nil while all is well
	check   *check     // what is known of kept's session; nil: nothing
	unsaved *time.Time // when to try again to save kept; nil: it is saved

	unproven *platform.Person // who was kept with other credentials, until a sign-in shows that they are the same person's; nil: nobody
}

var _ platform.Authorizer = (*Broker)(nil)

// New returns the broker of an account. It starts nothing and asks nobody: the first caller does.
func New(cfg Config) *Broker {
	return &Broker{cfg: cfg.withDefaults()}
}

// SessionID returns the session to send. It waits for a sign-in or a renewal under way as long as ctx allows; ctx ends
// only the wait. A session that the platform has not refused is handed out as long as no better one can be had.
//
// Nor is one of which a probe could not tell whether it is still good, until another one has: see [Broker.Rejected].
//
// Without a session the error is a *[PausedError] (comes back by itself), a *[ParkedError] (does not), that of the
// keeper, or that of ctx.
func (b *Broker) SessionID(ctx context.Context) (platform.Secret, error) {
	for {
		id, f, patience, err := b.current(ctx)
		if f == nil {
			return id, err
		}
		ended, err := b.wait(ctx, f, patience)
		switch {
		case err != nil:
			return "", err
		case !ended:
			return id, nil
		case f.err != nil && id == "" && f.kind == renewing:
			return "", f.err
		}
	}
}

// current returns the session that can be sent at once, or why there is none; or a flight to wait for, started if
// need be, with the session to fall back on (if any) and how long to wait (0: for its end).
func (b *Broker) current(ctx context.Context) (id platform.Secret, f *flight, patience time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.saveAgainLocked(ctx, now)
	usable := b.usableLocked()
	if b.flight == nil && (!usable || b.kept.isDue(&b.cfg, now)) && !b.pause.isBlocking(now) { //mutate:one-renewal
		b.takeOffLocked(ctx, &b.flight, renewing, b.renewSession)
	}
	doubtful := usable && b.check.isDoubtful() //mutate:doubtful
	switch f := b.flight; {
	case f == nil && !usable:
		return "", nil, 0, b.pause.err
	// A session in doubt is handed to nobody before a probe has told: each call sent with it might be refused, and each refusal is a turn's try.
	case doubtful && (f == nil || f.kind == saving):
		f, err := b.proveLocked(ctx, now)
		return "", f, 0, err
	// A save changes nothing of the session itself, so nobody waits for it.
	case f == nil || usable && f.kind == saving:
		return b.kept.SessionID, nil, 0, nil
	// Nothing to fall back on; one that is being logged out is as good as gone, and a call sent with it would be refused midway.
	case !usable || doubtful || f.kind == ending:
		return "", f, 0, nil
	case b.kept.isExpired(&b.cfg, now):
		return b.kept.SessionID, f, 0, nil
	default:
		return b.kept.SessionID, f, courtesy, nil
	}
}

// usableLocked reports whether there is a session that the platform has not refused.
func (b *Broker) usableLocked() bool {
	return b.loaded && b.kept.SessionID != "" && !b.refused
}

// Me returns the account's own id, as the sign-in told it. It signs in when that has never happened.
func (b *Broker) Me(ctx context.Context) (platform.UserID, error) {
	if me := b.ownID(); me != 0 {
		return me, nil
	}
	_, err := b.SessionID(ctx)
	if me := b.ownID(); me != 0 {
		return me, nil
	}
	if err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("account %q: the platform did not say who signed in", b.cfg.Account)
}

func (b *Broker) ownID() platform.UserID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept.User
}

// Wait returns when nothing is under way, or with the error of ctx. Call it after the last caller has gone and before
// the keeper is closed, so that renewed tokens are saved.
func (b *Broker) Wait(ctx context.Context) error {
	for {
		b.mu.Lock()
		f := b.flight
		if f == nil {
			f = b.probe
		}
		b.mu.Unlock()
		if f == nil {
			return nil
		}
		if _, err := b.wait(ctx, f, 0); err != nil {
			return err
		}
	}
}
