package stage_test

import (
	"context"
	"os"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/examples/stage"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/goleak"
)

// asExample in the environment makes this test binary an example.
const asExample = "STAGE_TEST_AS_EXAMPLE"

func TestMain(m *testing.M) {
	if os.Getenv(asExample) != "" {
		stage.Run(show("polite"))
		os.Exit(0)
	}
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
