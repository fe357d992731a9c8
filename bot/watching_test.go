package bot_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// watching is a bot that looks each minute what others write about bread, and publishes a word when somebody sells it.
func watching() bottest.Config {
	look := func(ctx context.Context, t *bot.Turn) error {
		t.After(time.Minute, "watch/look")
		posts, err := t.Search(ctx, "bread", 20)
		if err != nil {
			return err
		}
		for _, p := range posts {
			if p.Text == "bread for sale" {
				return t.Publish("bread!", bot.Keyed("watch/bread"))
			}
		}
		return nil
	}
	return bottest.Config{
		Routes: []bot.Route{
			bot.On("watch/start", bot.Started("watch/start"), func(ctx context.Context, t *bot.Turn, _ event.Nudge) error { return look(ctx, t) }),
			bot.On("watch/look", bot.Timer("watch/look"), func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return look(ctx, t) }),
		},
		Bot: bot.Config{PollInterval: 10 * time.Minute, Pace: fast()},
	}
}

// Who watches all day and does nothing leaves nothing behind of what it has read; what a turn has decided from stays.
func TestWatchingKeepsNothing(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, watching(), func(w *bottest.World) {
		leo := w.AddPerson(emulator.Person{Username: "leo"})
		for range 20 {
			w.Platform().Post(leo.ID(), "I baked bread today, and it came out well: six hours, a hot oven, much salt")
		}
		w.Advance(time.Hour)
		before := sizeAtRest(t, w)
		w.Advance(24 * time.Hour)
		if grown := sizeAtRest(t, w) - before; grown > 1<<20 {
			t.Errorf("a day of watching has left %d bytes behind", grown)
		}
		w.Platform().Post(leo.ID(), "bread for sale")
		w.Account("bot").ExpectsPost("bread!")
		w.Inspect(func(d inspect.Inspector) {
			turns, err := d.OwnTurns(context.Background(), "bot", 1000)
			if err != nil {
				t.Fatal(err)
			}
			kept := 0
			for i := range turns {
				facts, err := d.Facts(context.Background(), "bot", turns[i].Turn.ID)
				if err != nil {
					t.Fatal(err)
				}
				if len(facts) > 0 {
					kept++
				}
			}
			if len(turns) < 900 || kept < 1 || kept > 3 { // what began with the start, and what has decided
				t.Errorf("of %d turns %d have what they read", len(turns), kept)
			}
		})
	})
}

// sizeAtRest stops the bot, so that nothing of its database is in the log alone, and starts it again.
func sizeAtRest(t *testing.T, w *bottest.World) int64 {
	t.Helper()
	w.Stop()
	info, err := os.Stat(w.Database())
	if err != nil {
		t.Fatal(err)
	}
	w.Start()
	return info.Size()
}
