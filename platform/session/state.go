package session

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Phase is where a broker stands.
type Phase uint8

// The phases.
const (
	SignedOut Phase = iota // no session in memory: none was needed yet, or it was logged out or refused
	Active                 // there is a session
	Renewing               // a refresh or a sign-in is under way
	Paused                 // no session, or one in doubt, and nobody asks before Until
	Parked                 // no session, and a person must act
)

// String returns the phase in lower case.
func (p Phase) String() string {
	switch p {
	case SignedOut:
		return "signed out"
	case Active:
		return "active"
	case Renewing:
		return "renewing"
	case Paused:
		return "paused"
	case Parked:
		return "parked"
	default:
		return "unknown"
	}
}

// State is a picture of a broker for people and metrics. It holds no secret.
type State struct {
	Phase    Phase
	User     platform.UserID // 0: not known yet
	Username string
	Expiry   time.Time // of the session; zero: unknown
	// Err is why the last renewal failed (*[PausedError] or *[ParkedError]), nil once one succeeded, or why it is not
	// clear whether the session is still valid. An active broker has one when the session is still good and its
	// renewal fails.
	Err     error
	Until   time.Time // when the next renewal, or probe, may be tried; zero: now, or never when parked
	Unsaved bool      // the keeper could not save the tokens: a restart signs in again
}

// State returns how the broker stands. It asks nobody.
func (b *Broker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := State{User: b.kept.User, Username: b.kept.Username, Expiry: b.kept.Expiry, Unsaved: b.unsaved != nil}
	if p := b.pause; p != nil {
		s.Err, s.Until = p.err, p.until
	}
	switch {
	case b.flight != nil && b.flight.kind == renewing:
		s.Phase = Renewing
	case b.usableLocked() && b.check.isDoubtful():
		doubt := b.check.pause
		s.Phase, s.Err, s.Until = Paused, &doubt, doubt.Until
	case b.usableLocked():
		s.Phase = Active
	case !b.pause.isBlocking(time.Now()):
		s.Phase = SignedOut
	case b.pause.reason == forGood:
		s.Phase = Parked
	default:
		s.Phase = Paused
	}
	return s
}
