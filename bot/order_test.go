package bot_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Several messages of one turn arrive in order, however often the bot is stopped or crashes in between.
func TestMessagesOfATurnStayInOrder(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, again := range map[string]func(*bottest.World){"restart": (*bottest.World).Restart, "crash": (*bottest.World).Crash} {
		for _, after := range []time.Duration{0, 50 * time.Millisecond, 90 * time.Millisecond, 3 * time.Second} {
			if !effort.Some(fmt.Sprint(name, " after ", after)) {
				continue
			}
			t.Run(fmt.Sprint(name, " after ", after), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{Routes: []bot.Route{
					on("count", func(_ context.Context, t *bot.Turn) error {
						for i := range 30 {
							if err := t.Reply(fmt.Sprint(i)); err != nil {
								return err
							}
						}
						return nil
					}),
				}, Bot: bot.Config{Ceiling: bot.Ceiling{Max: -1}, Pace: &event.Pace{Account: event.Rate{PerSecond: 0.5, Burst: 6}}}}, func(w *bottest.World) {
					ana := w.Person("ana")
					ana.Says("count")
					ana.Expects("0")
					w.Faults(emulator.Faults{Slow: 1})
					for range 4 {
						w.Advance(after)
						again(w)
					}
					for i := range 29 {
						ana.Expects(fmt.Sprint(i + 1))
					}
					ana.ExpectsNothing(time.Hour)
				})
			})
		}
	}
}
