package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
)

type asker struct{}

// What middleware puts into the context reaches matchers, handlers, and all functions of a flow.
func TestContextReachesFlows(t *testing.T) {
	t.Parallel()
	who := func(ctx context.Context) string { return fmt.Sprint(ctx.Value(asker{})) }
	flow, err := bot.NewFlow("asks", bot.FlowDefinition[struct{}]{
		States: []bot.FlowState[struct{}]{
			{
				Name: "ask", Enter: func(ctx context.Context, t *bot.Turn, _ *struct{}) error { return t.Message("enter: " + who(ctx)) },
				Handle: func(ctx context.Context, t *bot.Turn, _ *struct{}) (conversation.Signal, error) {
					return "on", t.Message("handle: " + who(ctx))
				},
			},
			{Name: "end", Final: true},
		},
		Transitions: []bot.FlowTransition[struct{}]{{
			From: "ask", On: "on", To: "end", Guard: func(ctx context.Context, t *bot.Turn, _ *struct{}) bool { return t.Message("guard: "+who(ctx)) == nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	starts := bot.On("start", bot.AnyMessage().If(func(ctx context.Context, _ *bot.Turn) bool { return who(ctx) == "vip" }),
		func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			return bot.StartFlow(ctx, t, flow, struct{}{})
		})
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{starts}, Flows: []bot.Machine{flow},
		Middleware: []bot.Middleware{func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				return next.Handle(context.WithValue(ctx, asker{}, "vip"), t)
			})
		}},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("enter: vip")
		ana.Says("L")
		ana.Expects("handle: vip", "guard: vip")
	})
}

// Middleware goes around every turn, whatever becomes of it, and knows that behind its handler. What it says where nobody was to answer does not leave; what it
// keeps stays.
func TestMiddlewareGoesAroundEveryTurn(t *testing.T) {
	t.Parallel()
	type seen struct{ Outcomes []string }
	value := bot.NewValue[seen]("watch", "seen")
	watch := func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			if err := next.Handle(ctx, t); err != nil {
				return err
			}
			all, _, err := value.Load(t)
			if err != nil {
				return err
			}
			all.Outcomes = append(all.Outcomes, t.Outcome()+" by "+t.Route())
			if err := value.Save(t, all); err != nil {
				return err
			}
			return t.Message("I always have a word")
		})
	}
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{
			on("hi", func(_ context.Context, t *bot.Turn) error { return nil }),
			bot.On("old", saying("old"), says[event.Message]("old")).Within(time.Minute),
			bot.On("timer", bot.Timer("late"), func(context.Context, *bot.Turn, event.Timer) error { return nil }),
		},
		Middleware: []bot.Middleware{watch},
		Bot:        bot.Config{StopWords: []string{"stop"}, TakeoverFor: time.Hour},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("I always have a word")
		ana.Says("what?")
		ana.Expects("I always have a word")

		w.Stop()
		ana.Says("old")
		w.Advance(time.Hour)
		w.Start()
		ana.ExpectsNothing(time.Minute)

		w.Account("bot").Tells(ana, "it is me, in person")
		w.Advance(time.Minute)
		ana.Says("how nice")
		ana.ExpectsNothing(2 * time.Hour)

		ana.Says("stop")
		ana.ExpectsNothing(time.Minute)
		ana.Says("hi")
		ana.ExpectsNothing(time.Minute)

		var got seen
		if err := json.Unmarshal(w.Conversation(ana).Values["watch/seen"], &got); err != nil {
			t.Fatal(err)
		}
		want := []string{" by on-hi", "unmatched by ", "late by old", "owned by ", "left alone by ", "left alone by "}
		if diff := cmp.Diff(want, got.Outcomes); diff != "" {
			t.Error(diff)
		}
		var withheld []event.Reason
		for _, a := range actionsOf(w, ana) {
			if a.State == event.StateWithdrawn {
				withheld = append(withheld, a.Why)
			}
		}
		for _, outcome := range []string{bot.OutcomeLate, bot.OutcomeOwned, bot.OutcomeLeftAlone} {
			if !slices.Contains(withheld, event.Because("turn.unanswered", "outcome", outcome)) {
				t.Errorf("nothing was withheld of a turn that ended %q: %q", outcome, withheld)
			}
		}
	})
}

// Of an account that is paused middleware is called, too, and nothing leaves.
func TestMiddlewareOfAPausedAccount(t *testing.T) {
	t.Parallel()
	called := 0
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo()},
		Middleware: []bot.Middleware{func(next bot.Handler) bot.Handler {
			return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
				called++
				if err := t.Message("a word before"); err != nil {
					return err
				}
				return next.Handle(ctx, t)
			})
		}},
	}, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("a word before", "hi")
		w.Ask(aboutRule(event.WishPause, ""))
		w.Advance(time.Second)
		ana.Says("hello?")
		ana.ExpectsNothing(time.Minute)
		if called != 2 {
			t.Errorf("called %d times", called)
		}
	})
}
