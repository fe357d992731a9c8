//go:build !linux

package lease

import "time"

// Timer is none here.
type Timer struct{}

// NewDeadman returns ErrNoDeadman.
func NewDeadman() (*Timer, error) { return nil, ErrNoDeadman }

// SetDeadline does nothing.
func (*Timer) SetDeadline(time.Duration) error { return nil }

// ClearDeadline does nothing.
func (*Timer) ClearDeadline() error { return nil }

// Close does nothing.
func (*Timer) Close() error { return nil }
