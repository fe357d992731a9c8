package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// What a person decides does not wait behind a turn that is tried again and again. What waits behind it
// keeps its order.
func TestDecisionsPassAStuckTurn(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"what it reads is out of reach": &platform.Unreachable{Endpoint: "profile"},
		"its handler fails":             errors.New("stumbled"),
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var over atomic.Bool
			bottest.Run(t, bottest.Config{Routes: []bot.Route{
				on("stuck", func(_ context.Context, t *bot.Turn) error {
					if !over.Load() {
						return err
					}
					return t.Reply("at last")
				}), echo().Ordered(1),
			}}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("hi")
				ana.Expects("hi")
				ana.Says("stuck", "one", "two")
				w.Advance(10 * time.Second)
				takeOver := about(ana, event.WishTakeOver)
				takeOver.Owner = "team"
				decides(t, w, takeOver, bot.OutcomeHandled, "team has the conversation")
				decides(t, w, about(ana, event.WishGiveBack), bot.OutcomeHandled, "the bot has the conversation again")
				ana.ExpectsNothing(time.Second)
				over.Store(true)
				ana.Expects("at last", "one", "two")
			})
		})
	}
}

// Decisions keep their order among each other, and the last one stands.
func TestDecisionsBehindAStuckTurnKeepTheirOrder(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("stuck", func(context.Context, *bot.Turn) error { return &platform.Unreachable{Endpoint: "profile"} }), echo().Ordered(1),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hi")
		ana.Says("stuck", "one")
		w.Advance(10 * time.Second)
		first, second, last := about(ana, event.WishTakeOver), about(ana, event.WishGiveBack), about(ana, event.WishTakeOver)
		first.Owner, last.Owner = "leo", "team"
		w.Ask(first, second, last)
		w.Advance(time.Hour)
		if owner := w.Conversation(ana).Owner; owner != "team" {
			t.Errorf("the conversation belongs to %q", owner)
		}
		ana.ExpectsNothing(time.Minute) // the team has the conversation: what was stuck is not tried any more
	})
}
