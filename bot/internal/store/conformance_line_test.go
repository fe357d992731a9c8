package store_test

import (
	"errors"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/unclear"
)

// loss is what gets lost on the way between a store and its database.
type loss int

const (
	nothing loss = iota
	answers      // it is done, and nobody hears of it
	calls        // it is not done, and nobody knows that
)

func (l loss) String() string {
	return [...]string{"nothing", "the answer", "the call"}[l]
}

// line is the way between a store and its database. Its around is for store.Options.
type line struct {
	mu     sync.Mutex
	losses []loss        // of what goes over it next, one each
	silent bool          // until it is repaired, after that
	then   func()        // happens after what goes over it next
	tried  chan struct{} // is told of what goes over it while it is silent
}

var errLine = errors.New("the line is cut")

func newLine() *line { return &line{tried: make(chan struct{}, 100)} }

func (l *line) around(do func() error) error {
	l.mu.Lock()
	then := l.then
	l.then = nil
	l.mu.Unlock()
	if then != nil {
		defer then()
	}
	switch l.next() {
	case answers:
		return errors.Join(do(), errLine)
	case calls:
		return &unclear.Error{Err: errLine}
	default:
		return do()
	}
}

func (l *line) next() loss {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.losses) == 0 {
		if l.silent {
			l.tried <- struct{}{}
			return calls
		}
		return nothing
	}
	x := l.losses[0]
	l.losses = l.losses[1:]
	return x
}

// lose lets losses befall what goes over it next, one each.
func (l *line) lose(losses ...loss) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losses = losses
}

// befall lets something happen after what goes over the line next.
func (l *line) befall(then func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.then = then
}

// silence lets nothing over the line any more, until repair; what was lost before is.
func (l *line) silence(first loss) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losses, l.silent = []loss{first}, true
}

// repair lets everything over the line again.
func (l *line) repair() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losses, l.silent = nil, false
}
