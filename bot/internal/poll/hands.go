package poll

import "sync"

// hands are goroutines that make the calls of a cycle, one after the other: a new one for each call would have to grow its stack each time.
type hands struct {
	mu   sync.Mutex // guards the fields below
	idle []chan func()
	over bool
}

// do lets a goroutine run f. It may be left behind in it.
func (h *hands) do(f func()) {
	h.mu.Lock()
	n := len(h.idle)
	if n == 0 {
		h.mu.Unlock()
		go h.startWork(f)
		return
	}
	hand := h.idle[n-1]
	h.idle = h.idle[:n-1]
	h.mu.Unlock()
	hand <- f
}

func (h *hands) startWork(f func()) {
	next := make(chan func(), 1)
	for ok := true; ok; f, ok = <-next {
		f()
		h.mu.Lock()
		if h.over {
			h.mu.Unlock()
			return
		}
		h.idle = append(h.idle, next)
		h.mu.Unlock()
	}
}

// endIdle lets those go that have nothing to do; the others go when they are through.
func (h *hands) endIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for _, hand := range h.idle {
		close(hand)
	}
	h.idle = nil
}
