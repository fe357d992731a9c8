package handlers_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// Words finds whole words, whatever their case, accents and signs.
func ExampleWords() {
	route := handlers.On("hours", handlers.Words("open", "hours"), handlers.Reply("Mon-Fri 9:00-18:30."))

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(route), ana.Says("are you OPEN?"), ana.Expects("Mon-Fri")))
	// Output:
	// ana      are you OPEN?
	// bot  →   ana: Mon-Fri 9:00-18:30.
	// <nil>
}

// Phrase finds words in a row. What it finds is Words', too, so that route comes later.
func ExamplePhrase() {
	routes := bot.Routes(
		handlers.On("refund", handlers.Phrase("my money back"), handlers.Say("Somebody of ours looks at it."), handlers.Handoff("support")),
		handlers.On("money", handlers.Words("money"), handlers.Reply("We take cards and cash.")).Ordered(1),
	)

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, routes,
		ana.Says("how does money change hands?"), ana.Expects("cards"), leo.Says("I want my money back!"), leo.Expects("Somebody")))
	// Output:
	// ana      how does money change hands?
	// bot  →   ana: We take cards and cash.
	// leo      I want my money back!
	// bot  →   leo: Somebody of ours looks at it.
	// <nil>
}

// Command finds messages that begin with a command, and gives a handler what stands behind it.
func ExampleCommand() {
	route := bot.On("add", handlers.Command("add"), func(_ context.Context, t *bot.Turn, c handlers.Call) error {
		things := strings.Fields(c.Args)
		return t.Reply(fmt.Sprintf("%d things: %q", len(things), things))
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(route), ana.Says("/add bread honey"), ana.Expects("2 things")))
	// Output:
	// ana      /add bread honey
	// bot  →   ana: 2 things: ["bread" "honey"]
	// <nil>
}

// Menu makes routes of a list: one shows it, the others answer its entries.
func ExampleMenu() {
	say := func(text string) func(context.Context, *bot.Turn, handlers.Call) error {
		return func(_ context.Context, t *bot.Turn, _ handlers.Call) error { return t.Reply(text) }
	}
	routes := handlers.Menu("I can tell you:",
		handlers.Entry{Name: "hours", About: "when we are open", Do: say("Mon-Fri 9:00-18:30.")},
		handlers.Entry{Name: "soup", About: "what there is today", Do: say("Leek.")},
	)

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(routes...), ana.Says("/help"), ana.Expects("hours"), ana.Says("/soup"), ana.Expects("Leek")))
	// Output:
	// ana      /help
	// bot  →   ana: I can tell you:⏎/hours – when we are open⏎/soup – what there is today
	// ana      /soup
	// bot  →   ana: Leek.
	// <nil>
}

// A template fills in what is known of the person; what stands behind the bar is said where it is not.
func ExampleParseTemplate() {
	hello, err := handlers.ParseTemplate("Hi {{first_name|there}}!")
	if err != nil {
		fmt.Println(err)
		return
	}
	greet := bot.On("hello", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Message(hello.For(t)) })
	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(greet), ana.Says("hello"), ana.Expects("Hi")))
	_, err = handlers.ParseTemplate("Hi {{fist_name}}!")
	fmt.Println(err)
	// Output:
	// ana      hello
	// bot  →   ana: Hi Ana!
	// <nil>
	// "Hi {{fist_name}}!": there is no variable "fist_name": there are first_name, name, text, user_name
}

// Conditions are part of a matcher: here the route is for people without a label that it gives itself.
func ExampleLabelled() {
	known := handlers.Labelled("regular")
	routes := bot.Routes(
		handlers.On("first", bot.AnyMessage().If(handlers.Not(known)), handlers.Say("You are new here!"), handlers.Label("regular")),
		handlers.On("later", bot.AnyMessage().If(known), handlers.Say("Good to see you again.")),
	)

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, routes, ana.Says("hi"), ana.Expects("new"), ana.Says("hi"), ana.Expects("again")))
	// Output:
	// ana      hi
	// bot  →   ana: You are new here!
	// ana      hi
	// bot  →   ana: Good to see you again.
	// <nil>
}

// Hours are when a team is at work, on the clock of a place.
func ExampleHours_Open() {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		fmt.Println(err)
		return
	}
	hours := handlers.Hours{Zone: lisbon, Openings: []handlers.Opening{{Days: []time.Weekday{time.Saturday}, From: handlers.At(22, 0), To: handlers.At(2, 0)}}}
	saturday := time.Date(2027, time.May, 1, 23, 0, 0, 0, lisbon)
	fmt.Println(hours.Open(saturday), hours.Open(saturday.Add(2*time.Hour)), hours.Open(saturday.Add(4*time.Hour)))
	// Output: true true false
}

// A route may have several steps, one after another; what they collect takes effect together.
func ExampleLikeIt() {
	route := handlers.On("thanks", bot.AnyMention(), handlers.LikeIt(), handlers.Label("fan"))

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(route), ana.Mentions("good bread at @bot"), ana.ExpectsLike()))
	// Output:
	// ana      ✎ posts "good bread at @bot"
	// bot  →   ♥ likes "good bread at @bot"
	// <nil>
}
