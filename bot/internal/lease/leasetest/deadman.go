package leasetest

import (
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// Deadman is that of a process.
type Deadman struct {
	clock *Clock
	fire  func()

	mu   sync.Mutex // guards the field below
	fuse *time.Timer
}

var _ lease.Deadman = (*Deadman)(nil)

// NewDeadman returns one that strikes by the clock of a process, also while that is frozen.
func NewDeadman(clock *Clock, fire func()) *Deadman { return &Deadman{clock: clock, fire: fire} }

// SetDeadline implements lease.Deadman.
func (d *Deadman) SetDeadline(until time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fuse != nil {
		d.fuse.Stop()
	}
	d.fuse = time.AfterFunc(d.clock.TimeUntil(until), d.fire)
	return nil
}

// ClearDeadline implements lease.Deadman.
func (d *Deadman) ClearDeadline() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fuse != nil {
		d.fuse.Stop()
	}
	return nil
}
