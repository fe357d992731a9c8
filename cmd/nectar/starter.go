package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// starterSays is what the log says when the starter bot begins.
const starterSays = "no rules: running the starter bot, which tells people that a person reads their message; " +
	"to make a bot of your own, begin with examples/01-echo"

const (
	starterHelp = "I understand:\n/help  this list\nEverything else is read by a person."
	starterPace = 12 * time.Hour // between two automatic answers to one person
)

// starterRoutes are the bot of somebody who has not written one yet.
func starterRoutes() []bot.Route {
	isHelp := func(m event.Message) bool { return strings.EqualFold(strings.TrimSpace(m.Text), "/help") }
	return []bot.Route{
		bot.On("help", bot.AnyMessage().Where(isHelp), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			return t.Reply(starterHelp)
		}),
		bot.On("starter", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			answer := "Thanks for writing, " + firstName(t.Peer()) + "! This is an automatic answer; a person reads it soon."
			return t.Reply(answer, bot.AtMost(1, starterPace, "starter"))
		}).Ordered(1),
		bot.On("welcome", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			return t.Message("Welcome, "+firstName(t.Peer())+"! Write to us here whenever you like.", bot.Once("welcome"))
		}),
		bot.On("thanks", bot.AnyRepost(), func(_ context.Context, t *bot.Turn, r event.Repost) error {
			return t.Message("Thank you for passing our post on!", bot.OncePerPost("thanks", r.Post))
		}),
	}
}

// firstName returns what to call a person.
func firstName(p event.Peer) string {
	first, _, _ := strings.Cut(strings.TrimSpace(p.Name), " ")
	return cmp.Or(first, "friend")
}
