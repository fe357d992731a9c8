// Command 03-reactions is a bot that likes mentions, thanks reposters and welcomes followers.
//
//	$ go run ./examples/03-reactions
//	mia      + follows bot
//	bot  →   mia: Welcome, Mia! Ask me anything.
//	mia      - unfollows bot
//	mia      + follows bot
//	leo      ↻ reposts "spring menu"
//	bot  →   leo: Thank you for passing it on, Leo!
//	ana      ✎ posts "@bot best soup in town"
//	bot  →   ♥ likes "@bot best soup in town"
//
// On this API a second like takes the first one back. The bot wishes a state ("liked"), and the
// runtime sees to it, also after a crash.
package main

import (
	"context"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/examples/stage"
)

func main() { stage.Run(show()) }

func show() stage.Show {
	return stage.Show{Scene: scene, Bot: bot.Routes(
		bot.On("like", bot.AnyMention(), like),
		bot.On("thank", bot.AnyRepost(), thank),
		bot.On("welcome", bot.AnyFollow(), welcome),
	)}
}

func like(_ context.Context, t *bot.Turn, m event.Mention) error {
	t.Like(m.Post)
	return nil
}

// thank says it once for each post, however often somebody reposts it.
func thank(_ context.Context, t *bot.Turn, r event.Repost) error {
	return t.Message("Thank you for passing it on, "+r.From.Name+"!", bot.OncePerPost("thanks", r.Post))
}

// welcome says it once ever, also to somebody who leaves and comes back.
func welcome(_ context.Context, t *bot.Turn, f event.Follow) error {
	return t.Message("Welcome, "+f.From.Name+"! Ask me anything.", bot.Once("welcome"))
}
