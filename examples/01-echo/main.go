// Command 01-echo is a bot that repeats what people write.
//
//	$ go run ./examples/01-echo
//	ana      hello there
//	bot  →   ana: You said: hello there
//	leo      ¿y el menú?
//	bot  →   leo: You said: ¿y el menú?
//	leo      gracias 😀
//	bot  →   leo: You said: gracias 😀
//
// Without settings it brings its own platform and visitors (scene.go). With NECTAR_BASE_URL,
// NECTAR_EMAIL and NECTAR_PASSWORD, in the environment or in .env, it runs on yours.
package main

import (
	"context"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/examples/stage"
)

func main() { stage.Run(show()) }

func show() stage.Show {
	return stage.Show{Bot: bot.Routes(bot.On("echo", bot.AnyMessage(), echo)), Scene: scene}
}

// echo collects an answer. It is sent after the turn is stored, and once only.
func echo(_ context.Context, t *bot.Turn, m event.Message) error {
	return t.Reply("You said: " + m.Text)
}
