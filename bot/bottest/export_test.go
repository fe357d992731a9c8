package bottest

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
)

// catcher is a testing.T that keeps what a test fails with.
type catcher struct {
	*testing.T
	caught string
}

func (c *catcher) Errorf(format string, args ...any) { c.caught += fmt.Sprintf(format, args...) + "\n" }

func (c *catcher) Fatal(args ...any) {
	c.caught += fmt.Sprintln(args...)
	runtime.Goexit()
}

// Failure runs a test as Run does and returns what it fails with, "" when it passes.
func Failure(t *testing.T, cfg Config, test func(w *World)) string {
	t.Helper()
	var c *catcher
	synctest.Test(t, func(t *testing.T) {
		c = &catcher{T: t}
		done := make(chan struct{})
		w := newWorld(c, cfg.withDefaults())
		go func() {
			defer close(done)
			w.begin()
			test(w)
		}()
		<-done
		w.endTest()
	})
	return c.caught
}
