package bot_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// What becomes due around the end of an outage does not leave over words that a person of ours wrote meanwhile, on her phone: whoever gets
// through first, nothing leaves before the chats were read again.
func TestOwnersWordsInAnOutage(t *testing.T) {
	t.Parallel()
	const begins, ends = time.Minute, 2*time.Hour + 2*time.Minute
	for _, interval := range []time.Duration{time.Second, 10 * time.Second, 37 * time.Second} {
		for _, due := range []time.Duration{ends - 30*time.Second, ends + time.Second, ends + 20*time.Second} {
			t.Run(fmt.Sprint(interval, due), func(t *testing.T) {
				effort.Case(t)
				bottest.Run(t, bottest.Config{Bot: bot.Config{PollInterval: interval, RequestPause: time.Minute}, Routes: []bot.Route{
					bot.On("later", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
						return t.Reply("re: "+m.Text, bot.In(due))
					}),
				}}, func(w *bottest.World) {
					var people []*bottest.Person
					for i := range 4 {
						p := w.Person(fmt.Sprint("ana", i))
						p.Says("when?")
						people = append(people, p)
					}
					w.Advance(begins)
					w.Faults(emulator.Faults{CutBefore: 1})
					w.Advance(time.Minute)
					for _, p := range people[1:] {
						w.Account("bot").Tells(p, "I have this one")
					}
					w.Advance(ends - begins - time.Minute)
					w.Faults(emulator.Faults{})
					people[0].Expects("re: when?") // nobody wrote to her
					for _, p := range people[1:] {
						p.ExpectsNothing(time.Hour)
					}
				})
			})
		}
	}
}
