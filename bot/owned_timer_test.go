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

// A timer that waits until the bot speaks again keeps what was given to it.
func TestOwnedTimerKeepsItsData(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		on("remind me", func(_ context.Context, t *bot.Turn) error {
			t.SetTimer("reminder", t.Now.Add(10*time.Minute), []byte(`"tea"`))
			t.HandoffFor("ines", 3*time.Hour)
			return nil
		}),
		bot.On("reminder", bot.Timer("reminder"), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			return t.Message("it is about " + string(timer.Data))
		}),
	}, Bot: bot.Config{PollInterval: time.Minute}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("remind me")
		ana.ExpectsNothing(2 * time.Hour)
		w.Restart()
		w.Advance(150 * time.Minute)
		ana.Expects(`it is about "tea"`)
	})
}
