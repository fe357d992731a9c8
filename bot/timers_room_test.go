package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// However many timers of an account wait for what the platform does not tell, those of another one ring.
func TestTimersOfAnotherAccount(t *testing.T) {
	t.Parallel()
	if effort.Few() {
		t.Skip("thousands of turns take long, a minute with the race detector: NECTAR_TEST=all has them; other tests have fewer timers")
	}
	const many = 8200 // more than may be in the lanes
	var silent atomic.Bool
	silent.Store(true)
	var rung atomic.Int64
	bottest.Run(t, bottest.Config{
		Accounts: []event.Account{"bot", "other"},
		Routes: []bot.Route{
			on("many", func(_ context.Context, t *bot.Turn) error {
				for i := range many {
					t.After(10*time.Second, fmt.Sprint("asks/", i))
				}
				return nil
			}),
			on("one", func(_ context.Context, t *bot.Turn) error {
				t.After(time.Minute, "rings")
				return nil
			}),
			bot.On("asks", bot.Timers("asks/"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error {
				_, err := t.Profile(ctx)
				rung.Add(1)
				return err
			}),
			bot.On("rings", bot.Timer("rings"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("ding") }),
		},
		Transport: func(next http.RoundTripper) http.RoundTripper { return mute{next, "profile", &silent} },
	}, func(w *bottest.World) {
		visitor := w.Account("other").Person("guest")
		w.Person("ana").Says("many")
		visitor.Says("one")
		visitor.Expects("ding")
		silent.Store(false)
		w.Advance(10 * time.Minute)
		if rung := rung.Load(); rung < many {
			t.Errorf("%d timers rang, want %d", rung, many)
		}
	})
}
