package bot_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// A conversation whose handler fails for two minutes, with thousands of messages behind, delays nobody: neither the
// people of another account nor those of its own.
func TestFloodBehindATurnThatFails(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	const flood = 6000
	bottest.Run(t, bottest.Config{
		Accounts: []event.Account{"bot", "other"},
		Routes: []bot.Route{
			on("boom", func(context.Context, *bot.Turn) error { return errors.New("no idea") }),
			bot.On("flood", bot.AnyMessage().If(fromUser("stuck")), func(context.Context, *bot.Turn, event.Message) error { return nil }).Ordered(1),
			echo().Ordered(2),
		},
		Bot: bot.Config{Pace: fast(), PollInterval: time.Second, Ceiling: bot.Ceiling{Max: -1}},
	}, func(w *bottest.World) {
		stuck, own, other := w.Person("stuck"), w.Person("own"), w.Account("other").Person("guest")
		stuck.Says("boom")
		w.Advance(10 * time.Second)
		for i := range flood {
			w.Platform().Say(stuck.ID(), w.Account("bot").ID(), fmt.Sprint("line ", i))
		}
		for i := range 12 {
			for who, most := range map[*bottest.Person]time.Duration{other: 6 * time.Second, own: 15 * time.Second} {
				text, began := fmt.Sprint("hello ", i), time.Now()
				who.Says(text)
				who.Expects(text)
				if took := time.Since(began); took > most {
					t.Errorf("%q is answered after %v", text, took)
				}
			}
		}
		w.Advance(5 * time.Minute)
		if n := len(w.Decisions(stuck)); n != 5+flood {
			t.Errorf("%d turns, want %d", n, 5+flood)
		}
	})
}

// fromUser reports whether it is somebody's doing.
func fromUser(name string) bot.Condition {
	return func(_ context.Context, t *bot.Turn) bool { return t.Peer().User == name }
}
