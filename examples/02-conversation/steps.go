package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
)

// say is a state's question.
func say(text string) func(context.Context, *bot.Turn, *booking) error {
	return func(_ context.Context, t *bot.Turn, _ *booking) error { return t.Message(text) }
}

func readPeople(_ context.Context, t *bot.Turn, b *booking) (conversation.Signal, error) {
	if n, err := strconv.Atoi(t.Text()); err != nil || n < 1 {
		return conversation.Stay, t.Reply("A number, please.")
	}
	b.People = t.Text()
	return next, nil
}

func readTime(_ context.Context, t *bot.Turn, b *booking) (conversation.Signal, error) {
	b.Time = t.Text()
	return next, nil
}

func confirm(_ context.Context, t *bot.Turn, b *booking) error {
	return t.Reply(fmt.Sprintf("A table for %s at %s. Is that right?", b.People, b.Time))
}

func readConfirmation(_ context.Context, t *bot.Turn, _ *booking) (conversation.Signal, error) {
	if strings.EqualFold(t.Text(), "yes") {
		return next, nil
	}
	return conversation.Stay, t.Reply("Please answer yes, or wait for me to leave it.")
}
