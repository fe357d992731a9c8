package lease

import (
	"errors"
	"time"
)

// ErrNoDeadman is of systems that have no timer which ends a process that stands still.
var ErrNoDeadman = errors.New("this system has no timer that ends a process which stands still: one that does, longer than its lease, may send a request late")

// Deadman ends the process at a time of the steady clock, whatever it is doing, or not doing, by then.
type Deadman interface {
	// Arm sets the time, in the place of the one before.
	Arm(until time.Duration) error
	// Disarm lets the process live.
	Disarm() error
}

// noDeadman does nothing.
type noDeadman struct{}

// Arm does nothing.
func (noDeadman) Arm(time.Duration) error { return nil }

// Disarm does nothing.
func (noDeadman) Disarm() error { return nil }
