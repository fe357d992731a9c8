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

// setByALaterClock are routes that set things to wait for an hour, by a clock that is so far ahead.
func setByALaterClock(ahead *time.Duration) []bot.Route {
	return []bot.Route{
		on("wait", func(_ context.Context, t *bot.Turn) error {
			t.Now = t.Now.Add(*ahead)
			t.After(time.Hour, "timer")
			t.SetTimer("nine", t.Now.Add(time.Hour), nil)
			return t.Message("an action of an hour", bot.In(time.Hour))
		}),
		bot.On("timer", bot.Timer("timer"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("a timer of an hour") }),
		bot.On("nine", bot.Timer("nine"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("nine o'clock") }),
	}
}

// What waits for a while does not wait for as long as the clock was ahead besides, whether the bot is stopped or runs when that is set back; what waits
// for a time of day does.
func TestClockSetBackBeside(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(w *bottest.World){
		"over a stop":   func(w *bottest.World) { w.Restart() },
		"over a crash":  func(w *bottest.World) { w.Crash() },
		"while it runs": func(w *bottest.World) { w.Bot().SetBack(5 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			ahead := 5 * time.Hour
			bottest.Run(t, bottest.Config{Bot: unasked(), Routes: setByALaterClock(&ahead)}, func(w *bottest.World) {
				ana := w.Person("ana")
				ana.Says("wait")
				w.Advance(time.Minute)
				goOn(w)
				w.Advance(time.Hour - 5*time.Minute)
				ana.ExpectsNothing(time.Minute)
				w.Advance(8 * time.Minute)
				ana.Expects("an action of an hour", "a timer of an hour")
				w.Advance(5*time.Hour - 20*time.Minute)
				ana.ExpectsNothing(time.Minute)
				w.Advance(20 * time.Minute)
				ana.Expects("nine o'clock")
				ana.ExpectsNothing(6 * time.Hour)
			})
		})
	}
}

// A flow that waits for an answer since a later clock waits for no longer than its timeout.
func TestFlowOfALaterClock(t *testing.T) {
	t.Parallel()
	cfg, f := greets(t), greetingFlow(t)
	cfg.Flows = []bot.Machine{f}
	cfg.Routes = []bot.Route{on("hi", func(ctx context.Context, t *bot.Turn) error {
		t.Now = t.Now.Add(30 * time.Minute)
		return bot.StartFlow(ctx, t, f, greeting{})
	})}
	bottest.Run(t, cfg, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("what is your name?")
		w.Restart()
		w.Advance(time.Hour - 2*time.Minute)
		ana.ExpectsNothing(time.Minute)
		w.Advance(3 * time.Minute)
		ana.Expects("are you still there?")
	})
}
