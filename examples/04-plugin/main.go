// Command 04-plugin is a bot made of a ready plugin and one route of its own.
//
//	$ go run ./examples/04-plugin
//	ana      + follows bot
//	bot  →   ana: Nice to meet you, Ana. Ask for the menu!
//	ana      the menu, please
//	bot  →   ana: Today: soup, bread, apple pie.
//	leo      ↻ reposts "spring menu"
//	bot  →   leo: Thank you for passing it on, Leo!
//
// A plugin is a package with a Config, a New and a Module, as plugins/welcome: its routes come along
// with the Module, and what it remembers of a person is stored with the turn that changes it.
package main

import (
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/examples/stage"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
)

func main() { stage.Run(show()) }

func show() stage.Show {
	return stage.Show{Scene: scene, Bot: fx.Options(
		welcome.Module,
		fx.Supply(welcome.Config{Greeting: "Nice to meet you, {{first_name|friend}}. Ask for the menu!"}),
		bot.Routes(handlers.On("menu", handlers.Words("menu"), handlers.Reply("Today: soup, bread, apple pie."))),
	)}
}
