package child

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what is said: a process that ends is noticed at once.
const patience = 3 * time.Minute

// Output is what a program prints, for a test that waits for some of it. The zero value is empty.
type Output struct {
	mu    sync.Mutex // guards the fields below
	text  bytes.Buffer
	grown chan struct{} // closed when there is more, or there will be no more; nil while nobody waits
	ended bool
}

// Write adds to it.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wakeLocked()
	return o.text.Write(b)
}

// close says that there will be no more.
func (o *Output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wakeLocked()
	o.ended = true
}

func (o *Output) wakeLocked() {
	if o.grown != nil {
		close(o.grown)
		o.grown = nil
	}
}

// look returns all that is there, and what is closed when there is more: nil when there will be no more.
func (o *Output) look() (text string, grown <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.grown == nil && !o.ended {
		o.grown = make(chan struct{})
	}
	return o.text.String(), o.grown
}

// String returns all of it.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Await returns when a text is there. The test fails when the program has ended without it.
func (o *Output) Await(tb testing.TB, text string) {
	tb.Helper()
	o.Until(tb, text, func(all string) bool { return strings.Contains(all, text) })
}

// Until returns when is holds for the output so far; what names that condition for a person. The test fails when the program ends before.
func (o *Output) Until(tb testing.TB, what string, is func(all string) bool) {
	tb.Helper()
	enough := time.After(patience)
	for {
		all, grown := o.look()
		if is(all) {
			return
		}
		if grown == nil {
			tb.Fatalf("it ended, and was to say\n%s\nIt says\n%s", what, all)
		}
		select {
		case <-grown:
		case <-enough:
			tb.Fatalf("it was to say\n%s\nIt says\n%s", what, all)
		}
	}
}
