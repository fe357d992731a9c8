package lease

import (
	"errors"
	"time"
)

// ErrNoDeadman is of systems that have no timer which ends a process that stands still.
var ErrNoDeadman = errors.New("this system has no timer that ends a process which stands still: one that does, longer than its lease, may send a request late")

// Deadman ends the process at a time of the steady clock, in the middle of anything, or of nothing.
type Deadman interface {
	// SetDeadline sets the time, in the place of the one before.
	SetDeadline(until time.Duration) error
	// ClearDeadline lets the process live.
	ClearDeadline() error
}

// noDeadman does nothing.
type noDeadman struct{}

// SetDeadline does nothing.
func (noDeadman) SetDeadline(time.Duration) error { return nil }

// ClearDeadline does nothing.
func (noDeadman) ClearDeadline() error { return nil }
