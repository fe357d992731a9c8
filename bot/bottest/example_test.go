package bottest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// reminder is a bot that remembers people of something after three hours.
func reminder() []bot.Route {
	return []bot.Route{
		bot.On("ask", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			t.SetTimer("tea", t.Now.Add(3*time.Hour), []byte(m.Text))
			return t.Reply("In three hours, then.")
		}),
		bot.On("ring", bot.Timer("tea"), func(_ context.Context, t *bot.Turn, r event.Timer) error {
			return t.Message("Remember: " + strings.ToUpper(string(r.Data)))
		}),
	}
}

// TestReminder is what a test of a bot looks like: hours pass in an instant, and a crash takes nothing along.
func TestReminder(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: reminder(), Bot: bot.Config{PollInterval: 2 * time.Minute}}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("tea")
		ana.Expects("In three hours, then.")
		w.Advance(time.Hour)
		w.Crash()
		w.Advance(2 * time.Hour)
		ana.Expects("Remember: TEA")
		ana.ExpectsNothing(10 * time.Minute)
	})
}

// Run is for tests, with hours and crashes: see TestReminder in this file. Its world is the same as that of Play.
func ExampleRun() {
	_ = func(t *testing.T) { //nolint:thelper // it is a whole test
		bottest.Run(t, bottest.Config{Routes: reminder()}, func(w *bottest.World) {
			ana := w.Person("ana")
			ana.Says("tea")
			ana.Expects("In three hours, then.")
			w.Advance(3 * time.Hour)
			ana.Expects("Remember: TEA")
		})
	}
	// Output:
}

// Play is for examples: people meet a bot, and what happens is written.
func ExamplePlay() {
	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(reminder()...), ana.Says("tea"), ana.Expects("In three hours")))
	// Output:
	// ana      tea
	// bot  →   ana: In three hours, then.
	// <nil>
}
