// Command 00-hello is a bot in as few lines as it takes: those of README.md.
package main

import (
	"context"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers"
	"go.uber.org/fx"
)

func main() {
	hello := func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("Hello, " + m.From.Name + "!")
	}
	fx.New(config.Module, bot.Module, bot.Routes(bot.On("hello", handlers.Words("hello", "hi"), hello))).Run()
}
