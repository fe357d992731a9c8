package run

import (
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
)

// StarterSays is what the log says when the starter bot begins.
const StarterSays = "running the starter bot: it says that a person reads the message, welcomes followers and thanks reposters; " +
	"for rules of your own, begin with: nectar init"

// What the starter bot says, and how often.
const (
	StarterIntro  = "I understand /help and nothing else. Whatever you write here is read by a person."
	starterAnswer = "Thanks for writing, {{first_name|friend}}! This is an automatic answer; a person reads it soon."
	starterPause  = 12 * time.Hour // between two automatic answers to one person
)

// starterBot is the bot of somebody who has not written one yet.
func starterBot() fx.Option {
	return fx.Options(
		bot.Routes(handlers.Menu(StarterIntro)...),
		welcome.Module,
		fx.Provide(func() bot.Handler { return handlers.Fallback(starterAnswer, starterPause) }),
	)
}
