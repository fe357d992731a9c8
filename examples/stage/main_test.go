package stage_test

import (
	"context"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/examples/stage"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	child.Main(map[string]func(){"example": func() { stage.Run(show("polite")) }})
	goleak.VerifyTestMain(m)
}

// show is an example whose visitor expects a word in the answer.
func show(word string) stage.Show {
	answer := bot.On("answer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("a polite answer to " + m.Text)
	})
	ana := script.Actor("ana")
	return stage.Show{Bot: bot.Routes(answer), Scene: func(platform.PostID) []script.Step {
		return []script.Step{ana.Says("hello"), ana.Expects(word)}
	}}
}
