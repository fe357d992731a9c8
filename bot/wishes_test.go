package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// What people take back while the bot is down does not leave at its start, also when it came due meanwhile; what they
// do not speak of does.
func TestWishedWhileDown(t *testing.T) {
	t.Parallel()
	for name, wish := range map[string]event.Wish{"drop": event.WishWithdraw, "take over": event.WishTakeOver, "forget": event.WishForget} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			bottest.Run(t, bottest.Config{Routes: []bot.Route{bot.On("later", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
				return t.Message("here I am, "+m.Text, bot.In(10*time.Minute))
			})}}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("ana")
				leo.Says("leo")
				w.Advance(time.Minute)
				q := about(ana, wish)
				if wish == event.WishWithdraw {
					q.Action = actionsOf(w, ana)[0].Key
				}
				w.Stop()
				w.Ask(q)
				w.Advance(10 * time.Minute)
				w.Start()
				leo.Expects("here I am, leo")
				ana.ExpectsNothing(10 * time.Minute)
			})
		})
	}
}

// What does not come to an end at a start keeps nothing else for long.
func TestWishThatHangs(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		bot.On("later", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Message("here I am", bot.In(10*time.Minute))
		}),
		bot.On("hang", bot.Asked("hang"), func(ctx context.Context, _ *bot.Turn, _ event.Told) error {
			<-ctx.Done()
			return ctx.Err()
		}),
	}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hello")
		w.Advance(time.Minute)
		w.Stop()
		w.Ask(event.Request{Key: event.Own("bot"), Wish: event.WishTell, Subject: "hang"})
		w.Advance(10 * time.Minute)
		w.Start()
		w.Advance(9 * time.Second)
		if a := actionsOf(w, ana)[0]; a.State != event.StateDue {
			t.Errorf("it is %s before", a.State)
		}
		w.Advance(3 * time.Second)
		if a := actionsOf(w, ana)[0]; a.State != event.StateDone {
			t.Errorf("it is %s after", a.State)
		}
		ana.Expects("here I am")
	})
}
