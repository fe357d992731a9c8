package handlers

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Fallback answers messages that nothing else matched, to each person at most once within a time: somebody
// who writes many messages in a row is not interrupted each time. Other events are left alone. The text is
// a Template; a wrong template is a mistake in the program, and panics.
func Fallback(text string, within time.Duration) bot.Handler {
	answer := mustTemplate("handlers.Fallback", text).replyStep(bot.AtMost(1, within, "fallback"))
	return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
		if t.Event.Kind != event.KindMessage {
			return nil
		}
		return answer.Handle(ctx, t)
	})
}
