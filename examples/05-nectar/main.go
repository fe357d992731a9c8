// Command 05-nectar is the command nectar with handlers of one's own: all that nectar can do, and a bot that knows the menu
// beside what its rule files say.
//
//	$ go run ./examples/05-nectar run --env-file shop.env
//
// Try it on a platform in memory: "go run ./examples/05-nectar emulate" prints the settings of one, and lets you be the people.
package main

import (
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/cmd"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
)

func main() { cmd.Main(shop) }

// shop is what the bot does beside its rules: modules of plugins, and routes.
var shop = fx.Options(
	welcome.Module,
	fx.Supply(welcome.Config{Greeting: "Nice to meet you, {{first_name|friend}}. Ask for the menu!"}),
	bot.Routes(handlers.On("menu", handlers.Words("menu"), handlers.Reply("Today: soup, bread, apple pie."))),
)
