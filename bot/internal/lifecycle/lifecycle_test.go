package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lifecycle"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errGone = errors.New("gone")

// isClosed reports whether a channel is closed by now.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                 string
		d                    time.Duration
		signal, stop, cancel time.Duration // when; 0: never, -1: before
		want                 lifecycle.Cause
		took                 time.Duration
	}{
		{"time", 3, 0, 0, 0, lifecycle.TimeUp, 3},
		{"no time", 0, 0, 0, 0, lifecycle.TimeUp, 0},
		{"a time of the past", -5, 9, 9, 9, lifecycle.TimeUp, 0},
		{"signal", 3, 2, 0, 0, lifecycle.Signalled, 2},
		{"signal, forever", lifecycle.Forever, 2, 0, 0, lifecycle.Signalled, 2},
		{"stop", 3, 0, 2, 0, lifecycle.Over, 2},
		{"context", 3, 0, 0, 2, lifecycle.Over, 2},
		{"all before", 3, -1, -1, -1, lifecycle.Over, 0},
		{"signal before, no time", 0, -1, 0, 0, lifecycle.Signalled, 0},
		{"stopped before, no time", 0, 0, -1, 0, lifecycle.Over, 0},
		{"cancelled before, forever", lifecycle.Forever, -1, 0, -1, lifecycle.Over, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				signal, stop := make(chan struct{}), make(chan struct{})
				for _, f := range []struct {
					at time.Duration
					do func()
				}{{c.signal, func() { close(signal) }}, {c.stop, func() { close(stop) }}, {c.cancel, func() { cancel(errGone) }}} {
					switch {
					case f.at < 0:
						f.do()
					case f.at > 0:
						defer time.AfterFunc(f.at, f.do).Stop()
					}
				}
				began := time.Now()
				if got := lifecycle.Wait(ctx, c.d, signal, stop); got != c.want || time.Since(began) != c.took {
					t.Errorf("Wait = %v after %v, want %v after %v", got, time.Since(began), c.want, c.took)
				}
			})
		})
	}
}

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		if err := lifecycle.Sleep(ctx, time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("Sleep = %v after %v, want nil after an hour", err, time.Since(began))
		}
		time.AfterFunc(time.Minute, func() { cancel(errGone) })
		for _, d := range []time.Duration{time.Hour, 0} {
			if err := lifecycle.Sleep(ctx, d); !errors.Is(err, errGone) {
				t.Errorf("Sleep(%v) = %v, want %v", d, err, errGone)
			}
		}
		if took := time.Since(began) - time.Hour; took != time.Minute {
			t.Errorf("it slept for %v more, want a minute", took)
		}
	})
}

// A group that is stopped ends the waiting of its goroutines, lets no other ones begin, and is quiet when the last one has ended.
func TestGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := lifecycle.New()
		var slept, signalled bool
		for _, wait := range []func(){
			func() { slept = g.Sleep(t.Context(), time.Hour) },
			func() { signalled = g.WaitFor(t.Context(), nil) },
		} {
			if !g.Begin() {
				t.Fatal("a goroutine could not begin")
			}
			go func() {
				defer g.End()
				wait()
				time.Sleep(time.Minute)
			}()
		}
		synctest.Wait()
		began := time.Now()
		quiet := g.Stop()
		if g.Begin() {
			t.Error("a goroutine began after the stop")
		}
		if isClosed(quiet) || !isClosed(g.Stopping()) || !g.IsStopped() {
			t.Errorf("quiet %t, stopping %t, stopped %t; want false, true, true", isClosed(quiet), isClosed(g.Stopping()), g.IsStopped())
		}
		<-quiet
		if slept || signalled || time.Since(began) != time.Minute {
			t.Errorf("slept %t, signalled %t, quiet after %v; want false, false, a minute", slept, signalled, time.Since(began))
		}
		if !isClosed(g.Stop()) {
			t.Error("a second stop is not quiet at once")
		}
		if !isClosed(lifecycle.New().Stop()) {
			t.Error("a group without goroutines is not quiet at once")
		}
	})
}
