package handlers_test

import (
	"context"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message is a turn in which ana says a text.
func message(text string) *bot.Turn {
	t := &bot.Turn{Event: event.Event{
		ID: event.ID{Source: event.Messages, Number: 7}, Kind: event.KindMessage, Peer: 5, Name: "Ana Lima", User: "ana", Text: text,
	}}
	t.Trigger = event.Trigger{Kind: event.ByEvent, Key: event.Key{Account: "bot", Peer: 5}, Event: t.Event}
	t.Conversation.Key, t.Conversation.Name, t.Conversation.User = t.Trigger.Key, "Ana Lima", "ana"
	return t
}

// holds reports whether a condition holds for a text.
func holds(t *testing.T, c bot.Condition, text string) bool {
	t.Helper()
	return c(context.Background(), message(text))
}
