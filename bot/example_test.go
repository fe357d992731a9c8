package bot_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/fx"
)

// A route has a name, says which events it is for, and collects what should happen.
func ExampleOn() {
	hello := bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("Hello, " + m.From.Name + "! You said: " + m.Text)
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(hello), ana.Says("good morning"), ana.Expects("Hello")))
	// Output:
	// ana      good morning
	// bot  →   ana: Hello, Ana! You said: good morning
	// <nil>
}

// Of several routes the first one that matches has the event: by their order, then by their names.
func ExampleRoute_Ordered() {
	say := func(text string) func(context.Context, *bot.Turn, event.Message) error {
		return func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply(text) }
	}
	short := bot.AnyMessage().Where(func(m event.Message) bool { return len(m.Text) < 5 })
	routes := bot.Routes(
		bot.On("short", short, say("That was short.")),
		bot.On("any", bot.AnyMessage(), say("I see.")).Ordered(1), // "any" would come before "short"
	)

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, routes, ana.Says("hm"), ana.Expects("short"), ana.Says("let me think"), ana.Expects("see")))
	// Output:
	// ana      hm
	// bot  →   ana: That was short.
	// ana      let me think
	// bot  →   ana: I see.
	// <nil>
}

// A value is what a bot remembers of a person. It is stored with the turn: all of it happens, or nothing.
func ExampleNewValue() {
	visits := bot.NewValue[int]("guestbook", "visits")
	count := bot.On("count", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		n, _, err := visits.Load(t)
		if err != nil {
			return err
		}
		return errors.Join(visits.Save(t, n+1), t.Reply("Message "+strconv.Itoa(n+1)+" of yours."))
	})

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(count),
		ana.Says("hi"), ana.Expects("1 of"), ana.Says("me again"), ana.Expects("2 of"), leo.Says("hi"), leo.Expects("1 of")))
	// Output:
	// ana      hi
	// bot  →   ana: Message 1 of yours.
	// ana      me again
	// bot  →   ana: Message 2 of yours.
	// leo      hi
	// bot  →   leo: Message 1 of yours.
	// <nil>
}

// A flow is a conversation in steps. Where a person stands is stored, so that a restart forgets nobody.
func ExampleNewFlow() {
	type table struct{ People int }
	const next conversation.Signal = "next"
	flow, err := bot.NewFlow("table", bot.FlowDefinition[table]{
		States: []bot.FlowState[table]{
			{
				Name:  "people",
				Enter: func(_ context.Context, t *bot.Turn, _ *table) error { return t.Message("For how many people?") },
				Handle: func(_ context.Context, t *bot.Turn, b *table) (_ conversation.Signal, err error) {
					if b.People, err = strconv.Atoi(t.Text()); err != nil {
						return conversation.Stay, t.Reply("A number, please.")
					}
					return next, nil
				},
				Timeout: time.Hour,
			},
			{
				Name: "booked",
				Enter: func(_ context.Context, t *bot.Turn, b *table) error {
					return t.Message(fmt.Sprintf("A table for %d is yours.", b.People))
				},
				Final: true,
			},
			{Name: "left", Final: true},
		},
		Transitions: []bot.FlowTransition[table]{
			{From: "people", On: next, To: "booked"},
			{From: conversation.Anywhere, On: conversation.TimedOut, To: "left"},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	wanted := func(m event.Message) bool { return strings.Contains(m.Text, "table") }
	begin := bot.On("begin", bot.AnyMessage().Where(wanted), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		return bot.StartFlow(ctx, t, flow, table{})
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, fx.Options(bot.Routes(begin), bot.Flows(flow)),
		ana.Says("a table, please"), ana.Expects("how many"), ana.Says("for us"), ana.Expects("number"), ana.Says("4"), ana.Expects("yours")))
	// Output:
	// ana      a table, please
	// bot  →   ana: For how many people?
	// ana      for us
	// bot  →   ana: A number, please.
	// ana      4
	// bot  →   ana: A table for 4 is yours.
	// <nil>
}

// Middleware stands around routes: here around all of an application.
func ExampleWraps() {
	busy := func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			if strings.Contains(t.Text(), "!!!") {
				return t.Reply("One thing after the other, please.")
			}
			return next.Handle(ctx, t)
		})
	}
	hello := bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("Hello.") })

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, fx.Options(bot.Routes(hello), bot.Wraps(bot.Wrap{Name: "calm", Middleware: busy})),
		ana.Says("answer!!!"), ana.Expects("One thing"), ana.Says("sorry"), ana.Expects("Hello")))
	// Output:
	// ana      answer!!!
	// bot  →   ana: One thing after the other, please.
	// ana      sorry
	// bot  →   ana: Hello.
	// <nil>
}

// A limit is counted in the commit of the turn, so it holds over crashes, and for messages that race.
func ExampleAtMost() {
	offer := bot.On("offer", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		return errors.Join(t.Reply("A coffee is on us.", bot.AtMost(1, 24*time.Hour, "coffee")), t.Reply("Welcome."))
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(offer), ana.Says("hi"), ana.Expects("coffee"), ana.Expects("Welcome"), ana.Says("hi"), ana.Expects("Welcome")))
	// Output:
	// ana      hi
	// bot  →   ana: A coffee is on us.
	// bot  →   ana: Welcome.
	// ana      hi
	// bot  →   ana: Welcome.
	// <nil>
}

// A bot is an application of modules: config.Module would bring the settings and the store in the place of this platform in memory.
func Example() {
	routes := bot.Group("shop", nil,
		bot.On("follow", bot.AnyFollow(), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			return t.Message("Nice to have you here!")
		}),
		bot.On("mention", bot.AnyMention(), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return nil
		}),
	)

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(routes...),
		ana.Follows(), ana.Expects("Nice"), leo.Mentions("good bread at @bot"), leo.ExpectsLike()))
	// Output:
	// ana      + follows bot
	// bot  →   ana: Nice to have you here!
	// leo      ✎ posts "good bread at @bot"
	// bot  →   ♥ likes "good bread at @bot"
	// <nil>
}
