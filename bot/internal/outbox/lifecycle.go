package outbox

import (
	"context"
	"sync"
	"time"
)

// lifecycle is the lifetime of an account outbox: its goroutines, and the end of all waiting.
type lifecycle struct {
	stop chan struct{} // closed by end: ends all waiting

	mu      sync.Mutex
	running int           // goroutines at work
	quiet   chan struct{} // made with the end, and closed when none is any more
}

func newLifecycle() *lifecycle { return &lifecycle{stop: make(chan struct{})} }

// begin announces a goroutine, which must call done; false when the lifecycle ends.
func (l *lifecycle) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped() {
		return false
	}
	l.running++
	return true
}

func (l *lifecycle) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running--; l.running == 0 && l.stopped() {
		close(l.quiet)
	}
}

// end ends all waiting, and returns what is closed when nothing runs any more.
func (l *lifecycle) end() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopped() {
		close(l.stop)
		l.quiet = make(chan struct{})
		if l.running == 0 {
			close(l.quiet)
		}
	}
	return l.quiet
}

func (l *lifecycle) stopped() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// sleep waits for d; it reports false when the lifecycle ends or ctx is done before.
func (l *lifecycle) sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil && !l.stopped()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	return l.await(ctx, t.C)
}

// until waits for a channel to be closed; it reports false when the lifecycle ends or ctx is done before.
func (l *lifecycle) until(ctx context.Context, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	case <-l.stop:
	case <-ctx.Done():
	}
	return false
}

// awaitFor waits for a channel, or for d if that is not 0, as await does.
func (l *lifecycle) awaitFor(ctx context.Context, what <-chan time.Time, d time.Duration) bool {
	if d <= 0 {
		return l.await(ctx, what)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-what:
		return true
	case <-t.C:
		return true
	case <-l.stop:
	case <-ctx.Done():
	}
	return false
}

// await waits for a channel; it reports false when the lifecycle ends or ctx is done before.
func (l *lifecycle) await(ctx context.Context, what <-chan time.Time) bool {
	select {
	case <-what:
		return true
	case <-l.stop:
	case <-ctx.Done():
	}
	return false
}
