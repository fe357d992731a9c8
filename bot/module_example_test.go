package bot_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/fx"
)

// menu is what the shop has, as an application provides it.
type menu struct{ cakes []string }

// orders is a plugin that takes orders.
type orders struct{ flow *bot.Flow[string] }

func newOrders(m menu) (*orders, error) {
	ask := func(_ context.Context, t *bot.Turn, _ *string) error {
		return t.Message("Which one? " + strings.Join(m.cakes, ", "))
	}
	flow, err := bot.NewFlow("order", bot.FlowDefinition[string]{
		States: []bot.FlowState[string]{
			{
				Name: "cake", Enter: ask, Timeout: 24 * time.Hour,
				Reminders: []bot.Reminder[string]{{After: time.Hour, Say: ask}},
				Handle: func(_ context.Context, t *bot.Turn, cake *string) (conversation.Signal, error) {
					*cake = t.Text()
					return "chosen", nil
				},
			},
			{Name: "done", Final: true, Enter: func(_ context.Context, t *bot.Turn, cake *string) error {
				return t.Message("One " + *cake + " for you.")
			}},
			{Name: "left", Final: true},
		},
		Transitions: []bot.FlowTransition[string]{
			{From: "cake", On: "chosen", To: "done"}, {From: "cake", On: conversation.TimedOut, To: "left"},
		},
	})
	return &orders{flow}, err
}

func (o *orders) Flows() []bot.Machine { return []bot.Machine{o.flow} }

func (o *orders) Routes() []bot.Route {
	return []bot.Route{bot.On("order", saying("cake"), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		return bot.StartFlow(ctx, t, o.flow, "")
	})}
}

// An application provides a plugin with its flow and routes, a fallback, and settings of the bot beside those of its environment.
func ExampleProvideFlows() {
	app := fx.Options(
		fx.Supply(menu{cakes: []string{"nut", "plum"}}),
		fx.Provide(newOrders), bot.ProvideFlows((*orders).Flows), bot.ProvideRoutes((*orders).Routes),
		fx.Provide(func() bot.Handler {
			return bot.HandlerFunc(func(_ context.Context, t *bot.Turn) error { return t.Reply("Write cake to order one.") })
		}),
		fx.Decorate(func(c bot.Config) bot.Config {
			c.HandlerTimeout = 10 * time.Second
			return c
		}),
	)

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, app,
		ana.Says("hi"), ana.Expects("Write cake"), ana.Says("cake"), ana.Expects("Which one"), ana.Says("plum"), ana.Expects("plum")))
	// Output:
	// ana      hi
	// bot  →   ana: Write cake to order one.
	// ana      cake
	// bot  →   ana: Which one? nut, plum
	// ana      plum
	// bot  →   ana: One plum for you.
	// <nil>
}

// A handler that cannot answer leaves the event to the next one.
func Example_decline() {
	prices := map[string]string{"nut": "3 €", "plum": "4 €"}
	price := bot.On("price", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		p, ok := prices[m.Text]
		if !ok {
			return bot.Decline
		}
		return t.Reply(p)
	})
	other := bot.On("other", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("I will ask.") }).Ordered(1)

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(price, other), ana.Says("plum"), ana.Expects("4"), ana.Says("cheese"), ana.Expects("ask")))
	// Output:
	// ana      plum
	// bot  →   ana: 4 €
	// ana      cheese
	// bot  →   ana: I will ask.
	// <nil>
}
