package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
)

// Whose answer its commit denies, since a limit is used up, waits: the turn had decided to answer.
func TestWhoIsDeniedWaits(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Bot: bot.Config{Ceiling: bot.Ceiling{Max: 1, Within: time.Hour}}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("one")
		ana.Hears()
		ana.Says("two")
		ana.ExpectsNothing(time.Minute)
		w.Inspect(func(d inspect.Inspector) {
			those, counts, err := inspect.WhoWaits(context.Background(), d, 9, "bot")
			if err != nil || counts["bot"] != 1 || len(those) != 1 || those[0].Why.Code() != record.WaitsFailed || those[0].Why.Param("state") != string(event.StateWithdrawn) {
				t.Errorf("who waits: %+v, %v, %v", those, counts, err)
			}
		})
	})
}
