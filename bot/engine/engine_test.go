package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
)

// Each turn that a bot begins is one that an engine can decide, with what it looks at and what it leaves in the decision record.
func TestTurnOfABot(t *testing.T) {
	t.Parallel()
	route := bot.On("hours", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		e := engine.Of(t)
		room, err := e.Room(ctx)
		if err != nil || room == 0 || e.Pauses() != nil {
			t.Note("room for %d, paused: %v", room, e.Pauses())
			return err
		}
		e.Explain("opening-hours", "abc", nil)
		return t.Reply("At nine.", engine.Decided("opening-hours", time.Time{}))
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{engine.Route(route, engine.Ways{MindsPauses: true})}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("when do you open?")
		ana.Expects("At nine.")
		w.Crash()
		ana.Says("really?")
		ana.Expects("At nine.")
	})
}
