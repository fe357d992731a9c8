package bot

import "sync"

// workers counts the goroutines of lanes, so that a stop can wait for them.
type workers struct {
	mu       sync.Mutex
	n        int
	stopping chan struct{} // closed when no other ones begin
	quiet    chan struct{} // closed when none is left after that
}

func newWorkers() *workers {
	return &workers{stopping: make(chan struct{}), quiet: make(chan struct{})}
}

// begin announces a goroutine, which must call end; false when the bot stops.
func (w *workers) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped() {
		return false
	}
	w.n++
	return true
}

func (w *workers) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n--; w.n == 0 && w.stopped() {
		close(w.quiet)
	}
}

// stop lets no other goroutine begin, and returns what is closed when none is left.
func (w *workers) stop() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.stopping)
	if w.n == 0 {
		close(w.quiet)
	}
	return w.quiet
}

func (w *workers) stopped() bool {
	select {
	case <-w.stopping:
		return true
	default:
		return false
	}
}
