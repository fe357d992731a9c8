package bottest_test

import (
	"context"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
)

// greeter says hello to whoever writes, likes mentions and thanks for reposts.
func greeter() []bot.Route {
	return []bot.Route{
		bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply("hello, " + m.From.User + ": " + m.Text)
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return t.Reply("seen")
		}),
		bot.On("repost", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, _ event.Repost) error {
			return t.Message("thank you")
		}),
	}
}

func TestHello(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: greeter()}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello, ana: hi")
		w.Pass(3 * time.Hour)
		w.Restart()
		ana.Says("still there?")
		ana.Expects("hello, ana: still there?")
		ana.Mentions("look")
		ana.ExpectsLike()
		ana.ExpectsReply("seen")
		post := w.Posts("spring menu")
		ana.Reposts(post)
		ana.Expects("thank you")
		ana.ExpectsNothing(time.Hour)
		t.Log(w.Transcript())
		t.Log(w.Log())
	})
}
