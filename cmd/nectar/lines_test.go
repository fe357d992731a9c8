package main

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
	enough := time.After(time.Minute)
	for {
		l.mu.Lock()
		there, grown := strings.Contains(l.text.String(), text), l.grown
		l.mu.Unlock()
		if there {
			return
		}
		select {
		case <-grown:
		case <-enough:
			t.Fatalf("it does not say %q:\n%s", text, l)
		}
	}
}
