// Command 02-conversation is a bot that takes a booking in three steps, and does not wait for ever.
//
//	$ go run ./examples/02-conversation
//	ana      a table, please
//	bot  →   ana: For how many people?
//	ana      for all of us
//	bot  →   ana: A number, please.
//	ana      4
//	bot  →   ana: At what time?
//	ana      19:30
//	bot  →   ana: A table for 4 at 19:30. Is that right?
//	ana      yes
//	bot  →   ana: Booked. See you!
//	leo      a table
//	bot  →   leo: For how many people?
//	bot  →   leo: I leave it for now. Ask for a table whenever you like.
//
// Where a person stands is stored with the conversation, and when the bot stops waiting, too.
package main

import (
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/examples/stage"
	"go.uber.org/fx"
)

const (
	next     conversation.Signal = "next"
	patience                     = 3 * time.Second // so that you can see it end; give people hours
)

// booking is what the bot remembers on the way.
type booking struct{ People, Time string }

func main() { stage.Run(show()) }

func show() stage.Show {
	flow := bot.MustFlow("booking", bot.FlowDefinition[booking]{
		States: []bot.FlowState[booking]{
			{Name: "people", Enter: say("For how many people?"), Handle: readPeople, Timeout: patience},
			{Name: "time", Enter: say("At what time?"), Handle: readTime, Timeout: patience},
			{Name: "confirm", Enter: confirm, Handle: readConfirmation, Timeout: patience},
			{Name: "booked", Enter: say("Booked. See you!"), Final: true},
			{Name: "left", Enter: say("I leave it for now. Ask for a table whenever you like."), Final: true},
		},
		Transitions: []bot.FlowTransition[booking]{
			{From: "people", On: next, To: "time"},
			{From: "time", On: next, To: "confirm"},
			{From: "confirm", On: next, To: "booked"},
			{From: conversation.Anywhere, On: conversation.TimedOut, To: "left"},
		},
	})
	wanted := func(m event.Message) bool { return strings.Contains(strings.ToLower(m.Text), "table") }
	begin := bot.On("begin", bot.AnyMessage().Where(wanted), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		return bot.StartFlow(ctx, t, flow, booking{})
	})
	return stage.Show{Bot: fx.Options(bot.Routes(begin), bot.Flows(flow)), Scene: scene}
}
