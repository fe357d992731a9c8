package bot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// A turn knows what a person decided just before it about an action that was held, also while that is on its way
// into the store.
func TestActionStateOfTurnsAhead(t *testing.T) {
	t.Parallel()
	for wish, want := range map[event.Wish]string{event.WishDrop: "withdrawn", event.WishRelease: "sending"} {
		t.Run(string(wish), func(t *testing.T) {
			effort.Case(t)
			var slow atomic.Bool
			var key string
			cfg := bottest.Config{Routes: []bot.Route{
				bot.On("ask", saying("offer"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
					return t.Reply("an offer", bot.Held("needs approval"))
				}),
				bot.On("tell", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
					a, _, err := t.ActionState(ctx, key)
					if err != nil {
						return err
					}
					return t.Reply(string(a.State))
				}).Ordered(1),
			}}
			cfg.Commit = func(commit func() error) error {
				if slow.Load() {
					time.Sleep(20 * time.Second)
				}
				return commit()
			}
			bottest.Run(t, cfg, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("offer")
				ana.ExpectsNothing(time.Minute)
				key = heldBack(w, event.StateHeld)[0].Key
				slow.Store(true)
				q := about(ana, wish)
				q.Action = key
				w.Ask(q)
				w.Advance(5 * time.Second)
				ana.Says("how does it stand?")
				w.Advance(10 * time.Second)
				slow.Store(false)
				w.Advance(time.Minute)
				if wish == event.WishRelease {
					ana.Expects("an offer")
				}
				ana.Expects(want)
			})
		})
	}
}
