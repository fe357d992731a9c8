// Package lifecycle is how goroutines end: who ends what they work on counts them, lets no other ones begin, and waits until none is
// left (Group); and how they wait: for a time, or for a signal, and never beyond the end of what they work for (Wait, Sleep).
//
//	if !group.Begin() {
//		return // it ends
//	}
//	go func() {
//		defer group.End()
//		for group.Sleep(ctx, time.Second) {
//			…
//		}
//	}()
//	…
//	<-group.Stop()
package lifecycle

import (
	"context"
	"sync"
	"time"
)

// Group counts goroutines, so that who ends what they work on can wait for them. It is made by New.
type Group struct {
	stopping chan struct{} // closed when no other ones begin

	mu    sync.Mutex    // guards the fields below
	n     int           // guarded by mu: goroutines at work
	quiet chan struct{} // guarded by mu: made with the stop, and closed when none is left
}

// New returns a group without goroutines.
func New() *Group { return &Group{stopping: make(chan struct{})} }

// Begin announces a goroutine, which must call End; false when no other ones may begin.
func (g *Group) Begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.IsStopped() { //mutate:begin-stopped
		return false
	}
	g.n++
	return true
}

// End ends what Begin announced.
func (g *Group) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 && g.IsStopped() {
		close(g.quiet)
	}
}

// Stop lets no other goroutine begin, ends all waiting of the group, and returns what is closed when none is left. It may be called again.
func (g *Group) Stop() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.IsStopped() {
		close(g.stopping)
		g.quiet = make(chan struct{})
		if g.n == 0 {
			close(g.quiet)
		}
	}
	return g.quiet
}

// Stopping is closed by Stop.
func (g *Group) Stopping() <-chan struct{} { return g.stopping }

// IsStopped reports whether Stop was called.
func (g *Group) IsStopped() bool {
	select {
	case <-g.stopping:
		return true
	default:
		return false
	}
}

// Sleep waits for d. It reports false when the group is stopped, or ctx ends, before.
func (g *Group) Sleep(ctx context.Context, d time.Duration) bool {
	return Wait(ctx, d, nil, g.stopping) == TimeUp
}

// WaitFor waits for a signal. It reports false when the group is stopped, or ctx ends, before.
func (g *Group) WaitFor(ctx context.Context, signal <-chan struct{}) bool {
	return Wait(ctx, Forever, signal, g.stopping) == Signalled
}
