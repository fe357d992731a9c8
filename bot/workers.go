package bot

import "sync"

// workers counts goroutines, so that who ends what they work on can wait for them.
type workers struct {
	mu       sync.Mutex
	n        int
	stopping chan struct{} // closed when no other ones begin
	quiet    chan struct{} // made then, and closed when none is left
}

func newWorkers() *workers {
	return &workers{stopping: make(chan struct{})}
}

// begin announces a goroutine, which must call end; false when no other ones may.
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
	if !w.stopped() {
		close(w.stopping)
		w.quiet = make(chan struct{})
		if w.n == 0 {
			close(w.quiet)
		}
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
