package session_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// Whatever the platform does to its sessions, calls fail only in the ways they may, and work again when it calms down.
func TestARoughPlatform(t *testing.T) {
	for name, dialect := range map[string]emulator.Dialect{
		"401": {}, "400": {Unauthorized400: true, RefreshOmits: true, LoginNested: true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, emulator.Config{Seed: 7, Dialect: dialect, SessionTTL: 10 * time.Minute}, func(w *world) {
				faults, err := emulator.ParseFaults("hostile")
				if err != nil {
					w.Fatal(err)
				}
				w.people.SetFaults(faults)
				b := w.broker()
				var all sync.WaitGroup
				for range 10 {
					all.Go(func() {
						for range 100 {
							storm(w, b)
							time.Sleep(time.Second)
						}
					})
				}
				all.Wait()
				w.people.SetFaults(emulator.Faults{})
				time.Sleep(2 * time.Minute)
				w.must(b)
				if n := w.barrier.count("get_chats"); n < 500 {
					w.Errorf("only %d of 1000 calls left", n)
				}
			})
		})
	}
}

func storm(w *world, b *session.Broker) {
	err := w.chats(b)
	var (
		paused      *session.PausedError
		unreachable *platform.Unreachable
		unreadable  *platform.Unreadable
	)
	switch {
	case err == nil, errors.Is(err, platform.ErrServer), errors.Is(err, platform.ErrRateLimited), errors.Is(err, platform.ErrUnauthorized), errors.Is(err, platform.ErrInvalid):
	case errors.As(err, &paused), errors.As(err, &unreachable), errors.As(err, &unreadable):
	default:
		w.Errorf("an error of another kind: %v", err)
	}
	if errors.Is(err, platform.ErrBadCredentials) {
		w.Errorf("good credentials were refused: %v", err)
	}
}
