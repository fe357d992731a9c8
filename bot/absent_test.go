package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Without get_messages, an answer in the very words of the question is not taken for another question,
// however much later the age that the list shows betrays that something younger was said.
func TestEchoWithoutMessages(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, bottest.Config{
		Platform: emulator.Config{Dialect: emulator.Dialect{Messages: emulator.AbsentPage}},
		Bot:      bot.Config{PollInterval: time.Minute},
		Routes: []bot.Route{bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply(m.Text)
		})},
	}, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		each := 12
		if effort.Few() {
			each = 4
		}
		for i := range each {
			for _, p := range []*bottest.Person{ana, leo} {
				p.Says("hello")
				p.Expects("hello")
				w.Advance(time.Duration(17+i*9) * time.Minute)
			}
		}
		w.Advance(3 * time.Hour)
		for _, p := range []*bottest.Person{ana, leo} {
			if n := len(w.Decisions(p)); n != each {
				t.Errorf("%d messages were decided %d times:\n%s", each, n, w.Transcript())
			}
		}
	})
}
