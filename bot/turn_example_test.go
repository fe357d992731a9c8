package bot_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// A value of the account is one for all people: of two who write at once each gets a ticket of her own.
func ExampleAccountValue() {
	tickets := bot.NewAccountValue[int]("queue", "tickets")
	take := bot.On("take", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		n, _, err := tickets.Load(ctx, t)
		if err != nil {
			return err
		}
		return errors.Join(tickets.Save(ctx, t, n+1), t.Reply("You have number "+strconv.Itoa(n+1)+"."))
	})

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(take), ana.Says("a ticket"), ana.Expects("number 1"), leo.Says("me too"), leo.Expects("number 2")))
	// Output:
	// ana      a ticket
	// bot  →   ana: You have number 1.
	// leo      me too
	// bot  →   leo: You have number 2.
	// <nil>
}

// An action with a name happens once, whoever decides it: two people ask for the news of the day, and they are posted once.
func ExampleKeyed() {
	news := bot.On("news", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		return errors.Join(t.Publish("Fresh bread today!", bot.Keyed("news/2030-05-01")), t.Reply("It is on our page."))
	})

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(news), ana.Says("news?"), ana.Expects("page"), leo.Says("news?"), leo.Expects("page")))
	// Unordered output:
	// ana      news?
	// bot  →   ✎ posts "Fresh bread today!"
	// bot  →   ana: It is on our page.
	// leo      news?
	// bot  →   leo: It is on our page.
	// <nil>
}

// What awaits approval leaves when a person of ours says yes, by nectar outbox or a page of your own, and never when nobody does in time.
func ExampleAwaits() {
	refund := bot.On("refund", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		day := event.Approval{Within: 24 * time.Hour, Expires: t.Now.Add(24 * time.Hour)}
		return errors.Join(t.Reply("We look at it today."), t.Message("Your money is on its way.", bot.Awaits("refund for "+m.From.Name, day)))
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(refund), ana.Says("my money, please"), ana.Expects("look at it")))
	// Output:
	// ana      my money, please
	// bot  →   ana: We look at it today.
	// <nil>
}

// A turn with a limit happens as a whole, or begins anew knowing that the limit is used up.
func ExampleTurn_UseLimit() {
	draw := bot.On("draw", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		if t.Denied("prize/ever") {
			return t.Reply("All prizes are gone.")
		}
		t.UseLimit(event.LimitUse{Limit: "prize/ever", Max: 1})
		t.Label("winner")
		return t.Reply("You have won!")
	})

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(draw), ana.Says("me"), ana.Expects("won"), leo.Says("and me"), leo.Expects("gone")))
	// Output:
	// ana      me
	// bot  →   ana: You have won!
	// leo      and me
	// bot  →   leo: All prizes are gone.
	// <nil>
}

// A limit counts what has its name and its scope: without a scope all of the account, with one whatever the scope stands for, here a table of the house.
func ExampleTurn_UseLimit_scope() {
	book := bot.On("book", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		if t.Denied("tables/today") {
			return t.Reply(m.Text + " is taken.")
		}
		t.UseLimit(event.LimitUse{Limit: "tables/today", Scope: m.Text, Max: 1, Within: 24 * time.Hour})
		return t.Reply(m.Text + " is yours.")
	})

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(book), ana.Says("table 1"), ana.Expects("yours"), leo.Says("table 1"), leo.Expects("taken"), leo.Says("table 2"), leo.Expects("yours")))
	// Output:
	// ana      table 1
	// bot  →   ana: table 1 is yours.
	// leo      table 1
	// bot  →   leo: table 1 is taken.
	// leo      table 2
	// bot  →   leo: table 2 is yours.
	// <nil>
}

// The key of an action that a turn has decided is the last of Decided: kept in a value, it tells another turn what has become of the action.
func ExampleTurn_ActionState() {
	asked := bot.NewValue[string]("refund", "asked")
	refund := bot.On("refund", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		key, waits, err := asked.Load(t)
		if err != nil {
			return err
		}
		if !waits {
			if err := t.Message("Your money comes back.", bot.Held("needs a look")); err != nil {
				return err
			}
			all := t.Decided()
			return asked.Save(t, all[len(all)-1].Key)
		}
		a, found, err := t.ActionState(ctx, key)
		if err != nil || !found {
			return err
		}
		return t.Reply("Your refund is " + a.State.String() + ".")
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(refund), ana.Says("my money back"), ana.Says("and?"), ana.Expects("held")))
	// Output:
	// ana      my money back
	// ana      and?
	// bot  →   ana: Your refund is held.
	// <nil>
}

// A turn that delivers tells another conversation something, in that person's order: it is stored with the turn.
func ExampleTurn_Deliver() {
	var leos platform.UserID // as the program knows it
	gift := bot.On("gift", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		if m.From.User == "leo" {
			leos = m.From.ID
			return t.Reply("hello leo")
		}
		d := event.Delivery{To: event.Key{Peer: leos}, Name: "gifts/got", ID: t.Trigger.ID(), Data: m.From.User}
		return errors.Join(t.Deliver(d), t.Reply("It is on its way."))
	})
	got := bot.On("got", bot.Delivered[string]("gifts/got"), func(_ context.Context, t *bot.Turn, from string) error {
		return t.Message("A gift of " + from + "!")
	})

	ana, leo := script.Actor("ana"), script.Actor("leo")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(gift, got), leo.Says("hi"), leo.Expects("hello"), ana.Says("a gift for leo"), ana.Expects("way"), leo.Expects("gift of ana")))
	// Unordered output:
	// leo      hi
	// bot  →   leo: hello leo
	// ana      a gift for leo
	// bot  →   ana: It is on its way.
	// bot  →   leo: A gift of ana!
	// <nil>
}

// What a handler reads elsewhere becomes a fact of its trigger: a turn that runs again after a crash sees the same, and decides the same.
func ExampleFact() {
	price := func(context.Context) (float64, error) { return 3.5, nil } // from a shop, say
	order := bot.On("order", bot.AnyMessage(), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
		euros, err := bot.Fact(ctx, t, "price", price)
		if err != nil {
			return err
		}
		return t.Reply(fmt.Sprintf("That is %.2f euros.", euros))
	})

	ana := script.Actor("ana")
	fmt.Println(bottest.Play(os.Stdout, bot.Routes(order), ana.Says("a coffee"), ana.Expects("3.50")))
	// Output:
	// ana      a coffee
	// bot  →   ana: That is 3.50 euros.
	// <nil>
}

// closing is a bot that can be told to say goodbye: nectar tell shop/closing "until Monday".
func closing() bot.Route {
	return bot.On("closing", bot.Asked("shop/closing"), func(_ context.Context, t *bot.Turn, told event.Told) error {
		t.Note("it is posted")
		return t.Publish("We are closed " + strings.TrimSpace(told.Text) + ".")
	})
}

// A person of ours asks something of the program, and is told what came of it.
func ExampleAsked() {
	_ = func(t *testing.T) { //nolint:thelper // it is a whole test
		bottest.Run(t, bottest.Config{Routes: []bot.Route{closing()}}, func(w *bottest.World) {
			a := w.Account("bot")
			fmt.Println(a.Tell("shop/closing", "until Monday").Note)
			a.ExpectsPost("We are closed until Monday.")
		})
	}
	// Output:
}

// The example above does what it says.
func TestAskedToClose(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{closing()}}, func(w *bottest.World) {
		a := w.Account("bot")
		if got := a.Tell("shop/closing", "until Monday").Note; got != "it is posted" {
			t.Errorf("the answer is %q", got)
		}
		if a.ExpectsPost("We are closed until Monday.") == platform.PostID(0) {
			t.Error("the post has no number")
		}
	})
}
