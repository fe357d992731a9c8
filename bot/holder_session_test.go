package bot_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Nobody gets a shard while a session of it is being renewed: the tokens would be used twice.
func TestHandOverWaitsForARenewal(t *testing.T) {
	effort.Shared(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newOneShop(t)
		h, stop := s.worker()
		time.Sleep(time.Minute)
		s.platform.SetFaults(emulator.Faults{Delay: 100 * time.Second})
		s.platform.Disturb("refresh_access_token", emulator.Slow)
		s.platform.Expire(s.id)
		time.Sleep(5 * time.Second)
		before := s.platform.Calls("refresh_access_token")
		if _, err := h.Release(t.Context(), event.Account("shop").Shard()); err != nil {
			t.Fatal(err)
		}
		released := s.platform.Calls("refresh_access_token")
		time.Sleep(5 * time.Minute)
		if n := s.platform.Calls("refresh_access_token"); before != 1 || n != released {
			t.Errorf("%d renewals were asked for before, %d when the shard was given away, and %d in the end", before, released, n)
		}
		s.platform.SetFaults(emulator.Faults{})
		stop()

		_, stop = s.worker()
		if s.says("hello"); s.platform.Calls("login") != 1 {
			t.Error("the next one signs in anew")
		}
		stop()
	})
}
