package bot_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/poll"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Where only the last message of a chat is visible, the bot's own words that came behind a person's are
// not taken for theirs, although the count of unread messages has risen.
func TestSnapshotOfOwnWords(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{
		Platform: emulator.Config{Dialect: emulator.Dialect{Messages: emulator.AbsentPage}},
		Bot:      bot.Config{PollInterval: 30 * time.Second, NoMessages: poll.Always},
		Routes: []bot.Route{bot.On("late", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply("re: "+m.Text, bot.In(time.Second))
		})},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("a")
		for len(w.Traces(ana)) == 0 {
			w.Pass(time.Second / 2)
		}
		ana.Says("b") // before the answer, which hides it
		ana.Expects("re: a")
		ana.ExpectsNothing(10 * time.Minute)
		ana.Says("c")
		ana.Expects("re: c")
		ana.ExpectsNothing(10 * time.Minute)
	})
}
