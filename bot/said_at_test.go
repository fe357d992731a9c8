package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What was said a moment before the bot came back is answered, and what was said hours before is not: as old as the platform tells it, and not as old as the
// last poll.
func TestSaidMomentsBeforeTheEndOfAnOutage(t *testing.T) {
	t.Parallel()
	for name, dialect := range map[string]emulator.Dialect{"": {}, "without get_messages": {Messages: emulator.AbsentPage}} {
		t.Run(name, func(t *testing.T) {
			bottest.Run(t, bottest.Config{
				Platform: emulator.Config{Dialect: dialect},
				Routes: []bot.Route{
					on("early", func(_ context.Context, t *bot.Turn) error { return t.Message("too late for that") }),
					on("late", func(_ context.Context, t *bot.Turn) error { return t.Message("in time") }),
				},
			}, func(w *bottest.World) {
				ana, leo := w.Person("ana"), w.Person("leo")
				ana.Says("hello")
				leo.Says("hello")
				w.Advance(time.Minute)
				w.Stop()
				leo.Says("early")
				w.Advance(8 * time.Hour)
				ana.Says("late")
				w.Advance(2 * time.Minute)
				w.Start()
				ana.Expects("in time")
				leo.ExpectsNothing(time.Hour)
			})
		})
	}
}
