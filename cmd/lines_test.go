package cmd

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines is what a command prints, for a test that waits for some of it.
type lines struct {
	mu    sync.Mutex
	text  bytes.Buffer
	grown chan struct{} // closed and replaced when there is more
}

func newLines() *lines { return &lines{grown: make(chan struct{})} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.grown)
	l.grown = make(chan struct{})
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// wait returns when the text is there.
func (l *lines) wait(t *testing.T, text string) {
	t.Helper()
	l.waitTimes(t, text, 1)
}

// waitTimes returns when the text is there n times.
func (l *lines) waitTimes(t *testing.T, text string, n int) {
	t.Helper()
	enough := time.After(time.Minute)
	for {
		l.mu.Lock()
		there, grown := strings.Count(l.text.String(), text) >= n, l.grown
		l.mu.Unlock()
		if there {
			return
		}
		select {
		case <-grown:
		case <-enough:
			t.Fatalf("it does not say %q %d times:\n%s", text, n, l)
		}
	}
}
