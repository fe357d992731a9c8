// Command 00-hello is a bot in as few lines as it takes.
package main

import (
	"context"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"go.uber.org/fx"
)

func main() {
	fx.New(config.Module, bot.Module, bot.Routes(bot.On("hello", bot.AnyMessage(), hello))).Run()
}

func hello(_ context.Context, t *bot.Turn, m event.Message) error {
	return t.Reply("Hello, " + m.From.Name + "!")
}
