//go:build !linux

package lease

import "time"

// Timer is none here.
type Timer struct{}

// NewDeadman returns ErrNoDeadman.
func NewDeadman() (*Timer, error) { return nil, ErrNoDeadman }

// Arm does nothing.
func (*Timer) Arm(time.Duration) error { return nil }

// Disarm does nothing.
func (*Timer) Disarm() error { return nil }

// Close does nothing.
func (*Timer) Close() error { return nil }
