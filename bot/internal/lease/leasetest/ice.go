package leasetest

import "sync"

// Ice holds a process up: what it does next happens when it is thawed.
type Ice struct {
	mu     sync.Mutex    // guards the field below
	frozen chan struct{} // nil when it is not
}

// Freeze holds the process up from now on.
func (i *Ice) Freeze() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.frozen == nil {
		i.frozen = make(chan struct{})
	}
}

// Thaw lets the process go on.
func (i *Ice) Thaw() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.frozen != nil {
		close(i.frozen)
		i.frozen = nil
	}
}

// WaitForThaw returns when the process runs.
func (i *Ice) WaitForThaw() {
	for {
		i.mu.Lock()
		frozen := i.frozen
		i.mu.Unlock()
		if frozen == nil {
			return
		}
		<-frozen
	}
}

// IsFrozen reports whether the process is held up.
func (i *Ice) IsFrozen() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.frozen != nil
}
